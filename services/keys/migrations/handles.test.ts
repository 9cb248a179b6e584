import { afterAll, beforeAll, expect, test } from 'vitest';
import { startKeys } from '../testing.ts';
import { UserModel } from '../users/users.model.ts';
import { handlesMigration } from './handles.repository.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

test('a user whom an earlier version knew by another handle, or by none, is found by what mentions write now', async () => {
  const { organization, owner } = await keys.organization();
  const handles = ['i\u0307remo’\u0131\u015f\u0131k', 'iremo’işik', undefined];
  const ids: string[] = [];
  for (const [at, handle] of handles.entries()) {
    const user = { email: `irem${at}@example.com`, name: 'İrem O’Işık', role: 'member' } as const;
    const { id } = await keys.call('users.create', user, owner);
    ids.push(id);
    const change = handle === undefined ? { $unset: { handle: '' } } : { $set: { handle } };
    await UserModel.updateOne({ organizationId: organization.id, _id: id }, change);
  }
  const found = async () => {
    const { users } = await keys.call('users.named', { names: ["@iremo'işik"] }, owner);
    return users.map(({ id }) => id).sort();
  };
  expect(await found()).toEqual([]);
  let after: string | undefined = '';
  while (after !== undefined) after = await handlesMigration.batch(after);
  expect(await found()).toEqual(ids.sort());
});
