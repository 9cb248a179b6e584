import type { ServiceContract } from '@worktrack/contracts/operation';
import { type Broker, connectBroker } from '@worktrack/rpc/connection';
import type { RequestSigner } from '@worktrack/rpc/message/signature';
import { type RpcServer, serveRpc } from '@worktrack/rpc/server';
import type { RpcHandlers } from '@worktrack/rpc/types';
import { connectDatabase, databaseProblem, disconnectDatabase } from './database/connection.ts';
import { onEmitted, outbox } from './database/outbox/outbox.repository.ts';
import { OutboxPublisher, type OutboxSource } from './events/outbox-publisher.ts';
import type { KeyRing } from './process/key-ring.ts';
import { rpcObserver } from './process/metrics.ts';
import { eventSigner, requestSigner, type ServiceName } from './process/request-signers.ts';
import type { ServiceProcess } from './process/service.ts';

interface Settings {
  readonly MONGODB_URL: string;
  readonly MONGODB_DATABASE_PREFIX: string;
  readonly RABBITMQ_URL: string;
  readonly EVENT_SECRETS: KeyRing;
}

/** The connections of a service that calls come to. Whatever it has besides is opened after them, and so closed before. */
interface Backend {
  readonly broker: Broker;
  /** For events. */
  readonly signer: RequestSigner;
  /** Publishes what is emitted from now on, and was before. @param sources default: the outbox */
  publish(sources?: readonly OutboxSource[]): void;
  /** @param longPrefetch how many calls of the long lane it works on at once */
  serve<C extends ServiceContract>(
    contract: C,
    handlers: RpcHandlers<C>,
    secrets: KeyRing,
    longPrefetch?: number,
  ): Promise<RpcServer>;
}

export async function connectBackend(
  name: ServiceName,
  settings: Settings,
  { log, check, onStop }: ServiceProcess,
): Promise<Backend> {
  const database = `${settings.MONGODB_DATABASE_PREFIX}_${name}`;
  // Before the wait for each, so that readiness names the server that a start waits for.
  check('mongodb', databaseProblem);
  await connectDatabase({ url: settings.MONGODB_URL, database, log });
  onStop(disconnectDatabase);
  const broker = await connectBroker({ url: settings.RABBITMQ_URL, name, log, inBackground: true });
  check('rabbitmq', () => broker.problem());
  await broker.publishing.opened;
  onStop(() => broker.close());
  const signer = eventSigner(settings.EVENT_SECRETS);
  return {
    broker,
    signer,
    publish(sources = [outbox]) {
      const publisher = new OutboxPublisher({ broker, service: name, signer, log, sources, onEmitted });
      onStop(() => publisher.close());
    },
    serve(contract, handlers, secrets, longPrefetch) {
      const own = requestSigner(name, secrets);
      return serveRpc({ broker, contract, handlers, signer: own, log, observer: rpcObserver, longPrefetch });
    },
  };
}
