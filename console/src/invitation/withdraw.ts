import type { withdrawInvitation as operation } from '@worktrack/contracts/keys/invitations';
import type { User } from '@worktrack/contracts/keys/records';
import { call } from '../api/call.ts';
import { tell } from '../parts/popup/toasts.tsx';
import { words } from './messages.ts';

export async function withdrawInvitation({ id: userId, name }: Pick<User, 'id' | 'name'>): Promise<void> {
  await call<typeof operation>('DELETE /api/users/:userId/invitation', { userId });
  tell(words.withdrawn({ name }));
}
