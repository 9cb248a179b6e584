import { fork } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ErrorCode } from '@worktrack/contracts/errors';
import { OperationError } from '@worktrack/contracts/errors';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Delivery } from '@worktrack/contracts/events/webhook';
import { webhooksContract } from '@worktrack/contracts/events/webhooks';
import type { Operation, Output, RawInput } from '@worktrack/contracts/operation';
import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import type { CallContext } from '@worktrack/rpc/types';
import { connectDatabase, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { keyRingSetting } from '@worktrack/runtime/process/key-ring';
import { createLog } from '@worktrack/runtime/process/logging';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { vi } from 'vitest';
import { servers } from '../../../test/support/servers.ts';
import { webhookHandlers } from './handlers.ts';
import { networksSetting } from './sending/networks.ts';
import { WebhookService, type WebhookSettings } from './service.ts';
import { TestLog } from './test-log.repository.ts';

type Operations = (typeof webhooksContract)['operations'];
type Name = keyof Operations;

const DEADLINE_MS = 30_000;
const PROCESS = new URL('./test-process.ts', import.meta.url);
const SECRETS = 'test:a secret of the tests; it is long enough';
const SETTINGS: WebhookSettings = {
  WEBHOOK_SECRETS: keyRingSetting.parse(SECRETS),
  WEBHOOK_ALLOWED_NETWORKS: networksSetting.parse('127.0.0.1'),
};

export interface TestCaller {
  readonly organizationId: string;
  readonly userId: string;
  readonly keyId: string;
  readonly permissions: readonly Permission[];
}

export const newCaller = (permissions: readonly Permission[] = PERMISSIONS): TestCaller => ({
  organizationId: uuidv7(),
  userId: uuidv7(),
  keyId: uuidv7(),
  permissions,
});

/** The webhooks of the service without its queues, on a real database: its log is written directly. */
export async function startWebhooks() {
  const { mongodbUrl, databasePrefix } = await servers();
  const log = createLog('test', 'silent');
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_events`, log });
  const events = new TestLog();
  const running = new Set<WebhookService>();

  /** Another process of the service. */
  function replica(settings: Partial<WebhookSettings> = {}, dnsServers?: readonly string[]) {
    const service = new WebhookService({ ...SETTINGS, ...settings }, events, log, dnsServers);
    service.start();
    running.add(service);
    const table = webhookHandlers(service);

    async function call<N extends Name>(
      name: N,
      input: RawInput<Operations[N]>,
      caller: TestCaller,
      idempotencyKey: string = uuidv7(),
    ): Promise<Output<Operations[N]>> {
      const operation: Operation = webhooksContract.operations[name];
      const context = {
        caller,
        requestId: uuidv7(),
        idempotencyKey,
        deadlineAtMs: Date.now() + DEADLINE_MS,
        traceparent: undefined,
        log,
        fail: (code: ErrorCode, message: string, extra?: object) => new OperationError(code, message, extra),
      } as CallContext<ErrorCode>;
      const handler = table[name];
      if (!('one' in handler)) throw new Error(`${name} is called alone.`);
      return (await handler.one(operation.input.parse(input) as never, context)).output as Output<Operations[N]>;
    }

    return {
      service,
      call,
      async stop() {
        running.delete(service);
        await service.stop();
      },
    };
  }

  const heads = new Map<string, number>();

  /** Puts events into the log of the caller's organization. */
  async function append(caller: TestCaller, news: readonly Partial<LoggedEvent>[]): Promise<LoggedEvent[]> {
    const { organizationId, userId, keyId } = caller;
    let head = heads.get(organizationId) ?? 0;
    const logged = news.map((event): LoggedEvent => {
      const id = uuidv7();
      return {
        seq: ++head,
        id,
        type: 'work_item.updated',
        at: new Date().toISOString(),
        actor: { userId, keyId },
        subject: { kind: 'work_item', id: uuidv7() },
        revision: head,
        data: {},
        ...event,
      };
    });
    heads.set(organizationId, head);
    await events.append({ caller }, logged);
    // One of them, as in the service: who writes the log tells its own process.
    for (const service of running) {
      service.wake([organizationId]);
      break;
    }
    return logged;
  }

  return {
    ...replica(),
    replica,
    append,
    events,
    /** Another process indeed. */
    spawn: () => fork(PROCESS, [mongodbUrl, `${databasePrefix}_events`, SECRETS]),
    async stop() {
      for (const service of running) await service.stop();
      await disconnectDatabase();
    },
  };
}

export type Webhooks = Awaited<ReturnType<typeof startWebhooks>>;

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: LoggedEvent;
}

/** What an endpoint answers: a status, or whatever it does itself. */
type Answer = number | ((response: ServerResponse, received: Received) => void);

/** An endpoint of somebody else: a real HTTP server on the loopback address. */
export class Endpoint {
  readonly received: Received[] = [];
  readonly #server: Server;
  #answer: (received: Received) => Answer;
  underWay = 0;
  mostUnderWay = 0;

  private constructor(answer: (received: Received) => Answer) {
    this.#answer = answer;
    this.#server = createServer(async (request, response) => {
      this.underWay++;
      this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
      response.once('close', () => this.underWay--);
      const body = await text(request);
      const received = { headers: request.headers, body, event: JSON.parse(body) as LoggedEvent };
      this.received.push(received);
      const answer = this.#answer(received);
      if (typeof answer === 'function') answer(response, received);
      else response.writeHead(answer).end('ok');
    });
  }

  static async start(answer: (received: Received) => Answer = () => 200): Promise<Endpoint> {
    const endpoint = new Endpoint(answer);
    await new Promise<void>((resolve) => endpoint.#server.listen(0, '127.0.0.1', resolve));
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  answers(answer: (received: Received) => Answer): void {
    this.#answer = answer;
  }

  get seqs(): number[] {
    return this.received.map(({ event }) => event.seq);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Waits until something is so, as the tests of the repository do: no event tells it. */
export function until<T>(look: () => T | Promise<T>, timeoutMs = 45_000): Promise<T> {
  return vi.waitFor(look, { timeout: timeoutMs, interval: 20 });
}

export const statesOf = (deliveries: readonly Delivery[]) =>
  deliveries.map(({ seq, state, attempts, status }) => ({ seq, state, attempts, status }));
