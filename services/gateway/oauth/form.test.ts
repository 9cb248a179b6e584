import { expect, test } from 'vitest';
import { comesTwice } from './form.ts';

test('whether a parameter comes twice is found in one pass, however many there are', () => {
  const form = new URLSearchParams(Array.from({ length: 16_000 }, (_, at) => `${at.toString(36)}=`).join('&'));
  const { user: before } = process.cpuUsage();
  expect(comesTwice(form)).toBe(false);
  expect(process.cpuUsage().user - before).toBeLessThan(100_000);
  form.append('resource', 'a');
  form.append('resource', 'b');
  expect(comesTwice(form)).toBe(false);
  form.append('0', 'again');
  expect(comesTwice(form)).toBe(true);
});
