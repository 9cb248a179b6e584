import type { listKeys } from '@worktrack/contracts/keys/keys';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';
import { may } from '../../session.ts';

/**
 * The names of API keys, including revoked ones, by id. For those one may not see, and for console sessions, `otherwise`: the end of the id, for ids that were
 * made within a minute begin alike.
 */
export function useKeyNames(): (keyId: string, otherwise?: string) => string {
  const names = useQuery({
    key: ['key-names'],
    load: keyNames,
    follows: ({ subject }) => subject.kind === 'key',
    enabled: may('api-keys:read'),
  });
  return (keyId, otherwise = keyId.slice(-8)) => names.data?.get(keyId) ?? otherwise;
}

async function keyNames(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const keys = await call<typeof listKeys>('GET /api/api-keys', { includeRevoked: true }, { signal });
  return new Map(keys.map(({ id, name }) => [id, name]));
}
