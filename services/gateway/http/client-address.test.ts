import { secretKey } from '@worktrack/runtime/process/key-ring';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientNetwork, hashAddress } from './client-address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:51234', '192.0.2.1'],
  [' 192.0.2.1 ', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['[::ffff:192.0.2.1]:51234', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::1:0:0:1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['::ffff:0:192.0.2.1', '0:0:0:0::/64'],
  ['', undefined],
  ['unknown', undefined],
  ['_hidden', undefined],
  ['192.0.2', undefined],
  ['192.0.2.256', undefined],
  ['192.0.2.1, 192.0.2.2', undefined],
  ['2001:db8:::1', undefined],
  ['[192.0.2.1', undefined],
  ['12345', undefined],
])('%j counts as %j', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

const group = fc.nat(0xffff).map((value) => value.toString(16));
const half = fc.tuple(group, group, group, group).map((groups) => groups.join(':'));

test('all addresses of one /64 count as one client, those of two do not', () => {
  fc.assert(
    fc.property(half, half, half, half, (network, otherNetwork, host, otherHost) => {
      // All zeros contain the IPv4-mapped addresses, which are clients of their own.
      fc.pre(network !== otherNetwork && network !== '0:0:0:0' && otherNetwork !== '0:0:0:0');
      expect(clientNetwork(`${network}:${host}`)).toBe(`${network}::/64`);
      expect(clientNetwork(`${network}:${host}`)).toBe(clientNetwork(`${network}:${otherHost}`));
      expect(clientNetwork(`${network}:${host}`)).not.toBe(clientNetwork(`${otherNetwork}:${host}`));
    }),
  );
});

test('the hash of an address depends on the secret and does not contain the address', () => {
  const one = hashAddress('192.0.2.1', secretKey('one'));
  expect(one).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(one).not.toBe(hashAddress('192.0.2.1', secretKey('two')));
  expect(one).not.toBe(hashAddress('192.0.2.2', secretKey('one')));
  expect(one).toBe(hashAddress('192.0.2.1', secretKey('one')));
});
