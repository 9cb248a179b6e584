import { expect, test } from 'vitest';
import { chooseEncoding } from './encoding.ts';

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['identity', 'identity'],
  ['deflate', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.0,gzip;q=0', 'identity'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['br;q=0, *', 'gzip'],
  ['br; q=nonsense', 'identity'],
])('Accept-Encoding %j gets %s', (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding);
});
