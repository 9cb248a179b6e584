import { expect, test } from 'vitest';
import { AllowedDomain } from './allowed-domains.ts';
import { createSource } from './sources.ts';

test.each([
  'example.com',
  'EXAMPLE.com',
  'example.com.',
  'example.com:8443',
  'https://example.com',
  'https://example.com/',
  'https://example.com:8443',
  'http://example.com',
  '*.example.com',
  '*.example.com:8443',
  'https://*.example.com',
  'localhost',
  'localhost:3000',
  '*.localhost',
  'intranet',
  '127.0.0.1:3000',
  '[::1]:3000',
  'bücher.example',
  '  example.com  ',
])('%j is an allowed domain', (entry) => {
  expect(AllowedDomain.safeParse(entry).success).toBe(true);
});

test.each([
  '',
  ' ',
  '*',
  '*.',
  '.',
  '..',
  '.example.com',
  'example..com',
  'example.com..',
  '*example.com',
  'www.*.com',
  '*.*.example.com',
  '*.127.0.0.1',
  '*.[::1]',
  '::1',
  '[::1',
  'example.com:0',
  'example.com:65536',
  'example.com:',
  'example.com:port',
  'https://',
  'ftp://example.com',
  'javascript:alert(1)',
  'https://example.com/path',
  'https://example.com?x',
  'https://example.com#x',
  'https://user@example.com',
  'https://user:pass@example.com',
  'example.com evil.com',
  'exam\tple.com',
  'example.com\\evil.com',
  'example%2Ecom',
  `${'a'.repeat(300)}.com`,
  'a b',
  'exa<mple.com',
  '999.1.1.1',
])('%j is not', (entry) => {
  expect(AllowedDomain.safeParse(entry).success).toBe(false);
});

test('the domains of a source are at most 8 KiB in total', () => {
  const isTaken = (allowedDomains: string[]) => createSource.input.safeParse({ name: 'Shop', allowedDomains }).success;
  const domain = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`;
  expect(isTaken(Array(60).fill(domain))).toBe(true);
  expect(isTaken(Array(65).fill(domain))).toBe(false);
});
