import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startKeys } from '../testing.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

describe('the last use of keys', () => {
  test('is recorded for many at once, the latest of all reports in any order', async () => {
    const one = await keys.organization();
    const two = await keys.organization();
    const use = ({ owner }: typeof one, at: string) => ({
      organizationId: owner.organization.id,
      keyId: owner.key.id,
      at,
    });
    const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:05.000Z'];
    await keys.call('keys.recordUse', { uses: [use(one, late), use(two, early), use(one, early)] });
    await keys.call('keys.recordUse', { uses: [use(two, late), use(one, early)] });
    for (const { owner } of [one, two]) {
      expect((await keys.call('keys.list', {}, owner))[0]?.lastUsedAt).toBe(late);
    }
  });

  test('of a key under another organization records nothing', async () => {
    const { owner } = await keys.organization();
    const other = await keys.organization();
    const at = '2026-01-01T00:00:00.000Z';
    await keys.call('keys.recordUse', {
      uses: [{ organizationId: other.owner.organization.id, keyId: owner.key.id, at }],
    });
    expect((await keys.call('keys.list', {}, owner))[0]?.lastUsedAt).toBeNull();
  });
});
