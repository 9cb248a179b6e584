import { keyRingSetting } from '@worktrack/runtime/process/key-ring';
import { expect, test } from 'vitest';
import { SecretBox } from './secrets.ts';

const [OLD, NEW] = [
  '1:the older secret of the tests; it is long enough',
  '2:the newer secret of the tests; it is long enough',
];
const box = (setting: string) => new SecretBox(keyRingSetting.parse(setting));
const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+NNFeVsYFXGSE';

test('what is sealed is not the secret, differs each time, and can be opened again', () => {
  const sealed = [box(OLD).seal(SECRET, 'a'), box(OLD).seal(SECRET, 'a')];
  expect(new Set(sealed).size).toBe(2);
  for (const each of sealed) {
    expect(Buffer.from(each.split('.')[1] ?? '', 'base64url').toString('latin1')).not.toContain('whsec');
    expect(box(OLD).open(each, 'a')).toBe(SECRET);
  }
});

test('it can be opened only for its own webhook, and only unchanged', () => {
  const sealed = box(OLD).seal(SECRET, 'a');
  expect(() => box(OLD).open(sealed, 'b')).toThrow();
  const bytes = Buffer.from(sealed.split('.')[1] ?? '', 'base64url');
  for (const index of [0, 12, bytes.length - 17, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => box(OLD).open(`1.${changed.toString('base64url')}`, 'a')).toThrow();
  }
});

test('a new key in front seals, the one behind still opens until it is removed', () => {
  const sealed = box(OLD).seal(SECRET, 'a');
  const both = box(`${NEW},${OLD}`);
  expect(both.open(sealed, 'a')).toBe(SECRET);
  expect(both.isCurrent(sealed)).toBe(false);
  const resealed = both.seal(both.open(sealed, 'a'), 'a');
  expect(both.isCurrent(resealed)).toBe(true);
  expect(box(NEW).open(resealed, 'a')).toBe(SECRET);
  expect(() => box(NEW).open(sealed, 'a')).toThrow('WEBHOOK_SECRETS');
});
