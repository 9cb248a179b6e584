import { randomUUID } from 'node:crypto';
import { keysContract } from '@worktrack/contracts/keys/contract';
import type { createOrganization as operation } from '@worktrack/contracts/keys/organizations';
import type { Output, RawInput } from '@worktrack/contracts/operation';
import { createRpcClient } from '@worktrack/rpc/client';
import { connectBroker } from '@worktrack/rpc/connection';
import { createLog } from '@worktrack/runtime/process/logging';
import { rpcObserver } from '@worktrack/runtime/process/metrics';
import { requestSignerOf } from '@worktrack/runtime/process/request-signers';
import type { Secrets } from '../files/secrets.ts';

/** A new key is never null: only a replay of its creation returns that. */
type Created = Output<typeof operation> & { readonly apiKey: { readonly key: string } };

/**
 * Calls the keys service as the command line does: there is no route for this, because there is no key yet.
 * The key has no rate limit: on one machine there is nobody else to protect, and tests and benchmarks run as fast as they can.
 */
export async function createOrganization(
  rabbitmqUrl: string,
  { RPC_SECRETS_KEYS }: Pick<Secrets, 'RPC_SECRETS_KEYS'>,
  input: RawInput<typeof operation>,
): Promise<Created> {
  const log = createLog('stack', 'silent');
  const broker = await connectBroker({ url: rabbitmqUrl, name: 'worktrack stack', log });
  try {
    const rpc = createRpcClient({
      broker,
      signers: { keys: requestSignerOf('keys', RPC_SECRETS_KEYS) },
      log,
      observer: rpcObserver,
    });
    const id = randomUUID();
    const created = await rpc
      .of(keysContract)
      .call('organizations.create', { keyRateLimit: { requests: 0 }, ...input }, { requestId: id, idempotencyKey: id });
    await rpc.close();
    return created as Created;
  } finally {
    await broker.close();
  }
}
