import { expect, test } from 'vitest';
import { MetadataInput } from './metadata.ts';

const faultsOf = (metadata: unknown) => MetadataInput.safeParse(metadata).error?.issues ?? [];

test.each(['_bsontype', 'toBSON', '__proto__'])(
  'a key that the database treats as its own is refused by name: %s',
  (name) => {
    const metadata = JSON.parse(`{"a":[{"${name}":"ObjectId"}]}`);
    expect(faultsOf(metadata)).toMatchObject([{ path: ['a', 0, name], message: `must not be named ${name}` }]);
  },
);

test('at most one fault more than is reported is looked for, however many there are and wherever they are', () => {
  const wide = Object.fromEntries(Array.from({ length: 90_000 }, (_, number) => [`$${number}`, 1]));
  expect(faultsOf(wide)).toHaveLength(21);
  expect(faultsOf({ a: { b: wide }, c: wide })).toHaveLength(21);
  expect(faultsOf({ a: Array(90_000).fill({ $b: 1 }) })).toHaveLength(21);
});

test('what comes after is not even read', () => {
  let read = 0;
  const ownKeys = () => {
    read++;
    return ['$a'];
  };
  const item = new Proxy({}, { ownKeys, getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) });
  expect(faultsOf({ a: Array(1_000).fill(item) })).toHaveLength(21);
  expect(read).toBe(21);
});
