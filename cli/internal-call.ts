import { randomUUID } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import type { ServiceContract } from '@worktrack/contracts/operation';
import { createRpcClient } from '@worktrack/rpc/client';
import { connectBroker } from '@worktrack/rpc/connection';
import type { Log, RpcObserver, ServiceClient } from '@worktrack/rpc/types';
import { Failure, refusalWords } from './failure.ts';
import { localStack } from './local-stack.ts';

const CONNECT_TIMEOUT_MS = 5_000;

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const unobserved: RpcObserver = { called() {}, handled() {}, batched() {}, pending() {}, deadLettered() {} };

/** Calls a service itself, past the gateway, by the broker at `RABBITMQ_URL` or that of the local stack: for operations that no API key can ask for. */
export async function internalCall<C extends ServiceContract, T>(
  contract: C,
  call: (client: ServiceClient<C>, requestId: string) => Promise<T>,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<T> {
  const url = environment.RABBITMQ_URL || localStack(environment)?.urls.rabbitmq;
  if (!url) {
    throw new Failure(
      'unreachable',
      'There is no broker to talk to: set RABBITMQ_URL, or start a local stack with `npm start`.',
    );
  }
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  const broker = await connectBroker({ url, name: 'worktrack command', log: silent, signal }).catch(() => {
    throw new Failure(
      'unreachable',
      `RabbitMQ does not answer at ${withoutPassword(url)}. Start the stack with \`npm start\`, or set RABBITMQ_URL.`,
    );
  });
  const client = createRpcClient({ broker, log: silent, observer: unobserved });
  const requestId = randomUUID();
  try {
    return await call(client.of(contract), requestId);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    const kind = error.code === 'VALIDATION_FAILED' || error.code === 'CONFLICT' ? 'refused' : 'unreachable';
    throw new Failure(
      kind,
      `${refusalWords(error.message, error.extra.details)} (${error.code}, request ${requestId})`,
    );
  } finally {
    await client.close();
    await broker.close();
  }
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
