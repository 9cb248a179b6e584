import { expect, test } from 'vitest';
import { lengthOf, pageUrl } from './service.ts';

const path = 'https://shop.example/lamps';

test.each([
  [path, path],
  [`${path}?q=a#b`, `${path}?q=a#b`],
  [`${path}?q=a#${'b'.repeat(2_048)}`, `${path}?q=a`],
  [`${path}?${'q'.repeat(2_048)}#b`, path],
  [`${path}/${'x'.repeat(2_048)}`, undefined],
  ['file:///home/a.html', undefined],
  ['about:srcdoc', undefined],
])('the address %.60s is sent as %.60s', (address, sent) => {
  expect(pageUrl(address)).toBe(sent);
});

test.each([
  ['', 0],
  ['abc', 3],
  ['💡💡', 2],
  ['e\u0301', 2],
])('%j has %i characters, as the server counts', (message, length) => {
  expect(lengthOf(message)).toBe(length);
});
