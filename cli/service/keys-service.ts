import { randomUUID } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import { keysContract } from '@worktrack/contracts/keys/contract';
import type { Operation } from '@worktrack/contracts/operation';
import { createRpcClient } from '@worktrack/rpc/client';
import { connectBroker } from '@worktrack/rpc/connection';
import type { Log, RpcObserver, ServiceClient } from '@worktrack/rpc/types';
import { requestSignerOf } from '@worktrack/runtime/process/request-signers';
import { Failure, inFlags, refusalWords } from '../failure.ts';
import { fieldNames } from '../flags.ts';
import { localStack, secretsOf } from './local-stack.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const REFUSALS: ReadonlySet<string> = new Set(['VALIDATION_FAILED', 'CONFLICT', 'NOT_FOUND']);

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const unobserved: RpcObserver = {
  called() {},
  handled() {},
  batched() {},
  pending() {},
  working() {},
  deadLettered() {},
};

/**
 * Calls the keys service directly, bypassing the gateway, for operations that no API key can request. It uses the broker at `RABBITMQ_URL` and the key in
 * `RPC_SECRETS_KEYS`, or those of the local stack.
 */
export async function callKeysService<T>(
  operation: Operation,
  call: (client: ServiceClient<typeof keysContract>, requestId: string) => Promise<T>,
): Promise<T> {
  const stack = localStack(process.env);
  const url = process.env.RABBITMQ_URL || stack?.urls.rabbitmq;
  if (!url) {
    throw new Failure(
      'usage',
      'There is no broker to talk to: set RABBITMQ_URL, or start a local stack with `npm start`.',
    );
  }
  const secrets = process.env.RPC_SECRETS_KEYS || (stack && secretsOf(stack).RPC_SECRETS_KEYS);
  if (!secrets) {
    throw new Failure(
      'usage',
      'The keys service accepts only signed requests: set RPC_SECRETS_KEYS to the same value as there.',
    );
  }
  const signer = signerOf(secrets);
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  const broker = await connectBroker({ url, name: 'worktrack command', log: silent, signal }).catch(() => {
    throw new Failure(
      'unreachable',
      `RabbitMQ does not answer at ${withoutPassword(url)}. Start the stack with \`npm start\`, or set RABBITMQ_URL.`,
    );
  });
  const client = createRpcClient({ broker, signers: { keys: signer }, log: silent, observer: unobserved });
  const requestId = randomUUID();
  try {
    return await call(client.of(keysContract), requestId);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    const kind = REFUSALS.has(error.code) ? 'refused' : 'unreachable';
    // An alarm is known once something was sent, and that call ends by its deadline.
    const problem = kind === 'unreachable' && broker.problem();
    const words = problem
      ? `${problem} \`rabbitmqctl status\` says more; repeat the command once it is well`
      : inFlags(refusalWords(error.message, error.extra.details), fieldNames(operation), {});
    throw new Failure(kind, `${words} (${error.code}, request ${requestId})`);
  } finally {
    await client.close();
    await broker.close();
  }
}

function signerOf(secrets: string) {
  try {
    return requestSignerOf('keys', secrets);
  } catch {
    throw new Failure(
      'usage',
      'RPC_SECRETS_KEYS must be the same as for the keys service: <key id>:<secret>[,<key id>:<secret>…].',
    );
  }
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/g, '//');
}
