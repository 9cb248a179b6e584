import type { User } from '@worktrack/contracts/keys/records';
import type { listUsers } from '@worktrack/contracts/keys/users';
import type { Output } from '@worktrack/contracts/operation';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';
import { identity, may } from '../../session.ts';

const PAGE_SIZE = 100;

/** The people in the organization, the newest if there are very many; none if one may not see them. */
function useUsers(): readonly User[] {
  const users = useQuery({
    key: ['users'],
    load: (signal) => call<typeof listUsers>('GET /api/users', { limit: PAGE_SIZE }, { signal }),
    follows: ({ subject }) => subject.kind === 'user',
    enabled: may('users:read'),
  });
  return (users.data as Output<typeof listUsers> | undefined)?.users ?? [];
}

/** Those of them who can be given work, or a key. */
export const useActiveUsers = (): readonly User[] => useUsers().filter(({ disabled }) => !disabled);

/** People's names by user id: of everybody one may see, else only one's own. */
export function useNames(): (userId: string) => string {
  const own = identity.value?.user;
  const known = new Map(useUsers().map(({ id, name }) => [id, name]));
  return (userId) => known.get(userId) ?? (own?.id === userId ? own.name : userId.slice(-8));
}
