import { expect, test } from 'vitest';
import { baseOf } from '../connect/addresses.ts';
import { urlOfListener } from './loopback.ts';

test.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['::1', 'http://[::1]:3000'],
  ['10.0.0.7', 'http://10.0.0.7:3000'],
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://127.0.0.1:3000'],
])('what listens at %s is reached at %s', (host, url) => {
  expect(urlOfListener(host, 3000)).toBe(url);
});

test('an app that comes to a container by a published port is told of that port', () => {
  const request = { host: 'localhost:8080', hostname: 'localhost' };
  expect(baseOf(request, () => urlOfListener('0.0.0.0', 3000))).toBe('http://localhost:8080');
});
