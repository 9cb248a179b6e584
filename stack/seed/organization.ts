import { randomUUID } from 'node:crypto';
import { keysContract } from '@worktrack/contracts/keys/contract';
import type { createOrganization as operation } from '@worktrack/contracts/keys/organizations';
import type { Output, RawInput } from '@worktrack/contracts/operation';
import { createRpcClient } from '@worktrack/rpc/client';
import { connectBroker } from '@worktrack/rpc/connection';
import type { ServiceClient } from '@worktrack/rpc/types';
import { createLog } from '@worktrack/runtime/process/logging';
import { rpcObserver } from '@worktrack/runtime/process/metrics';
import { requestSignerOf } from '@worktrack/runtime/process/request-signers';
import type { Secrets } from '../files/secrets.ts';

type KeysSecret = Pick<Secrets, 'RPC_SECRETS_KEYS'>;

/** A new key is never null: only a replay of its creation returns that. */
type Created = Output<typeof operation> & { readonly apiKey: { readonly key: string } };

/**
 * Calls the keys service as the command line does: there is no route for this, because there is no key yet.
 * The key has no rate limit: on one machine there is nobody else to protect, and tests and benchmarks run as fast as they can.
 */
export async function createOrganization(
  rabbitmqUrl: string,
  secrets: KeysSecret,
  input: RawInput<typeof operation>,
): Promise<Created> {
  return await withKeys(rabbitmqUrl, secrets, async (keys) => {
    const id = randomUUID();
    const options = { requestId: id, idempotencyKey: id };
    return (await keys.call('organizations.create', { keyRateLimit: { requests: 0 }, ...input }, options)) as Created;
  });
}

/** Without a key of it. An organization always has a user. */
export async function organizationExists(
  rabbitmqUrl: string,
  secrets: KeysSecret,
  organizationId: string,
): Promise<boolean> {
  const caller = { organizationId, userId: '', keyId: '', permissions: ['users:read'] } as const;
  const { users } = await withKeys(rabbitmqUrl, secrets, (keys) =>
    keys.call('users.list', { limit: 1 }, { requestId: randomUUID(), caller }),
  );
  return users.length > 0;
}

async function withKeys<Result>(
  rabbitmqUrl: string,
  { RPC_SECRETS_KEYS }: KeysSecret,
  work: (keys: ServiceClient<typeof keysContract>) => Promise<Result>,
): Promise<Result> {
  const log = createLog('stack', 'silent');
  const broker = await connectBroker({ url: rabbitmqUrl, name: 'worktrack stack', log });
  try {
    const rpc = createRpcClient({
      broker,
      signers: { keys: requestSignerOf('keys', RPC_SECRETS_KEYS) },
      log,
      observer: rpcObserver,
    });
    const result = await work(rpc.of(keysContract));
    await rpc.close();
    return result;
  } finally {
    await broker.close();
  }
}
