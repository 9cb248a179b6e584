import type { User } from '@worktrack/contracts/keys/records';
import type { updateUser } from '@worktrack/contracts/keys/users';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { askWhoIsThere, identity } from '../../session.ts';

export async function saveUser(
  id: string,
  changes: {
    readonly name?: string;
    readonly role?: string;
    readonly disabled?: boolean;
    readonly projects?: string[] | null;
  },
): Promise<User> {
  const user = await call<typeof updateUser>('PATCH /api/users/:id', { id, ...changes });
  void queries.invalidateQueries({ queryKey: ['users'] });
  // Sooner than on its event (app.tsx): once the service has answered, it has forgotten who that was.
  if (id === identity.peek()?.user.id) void askWhoIsThere();
  return user;
}
