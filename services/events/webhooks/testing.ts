import { fork } from 'node:child_process';
import { eventsContract } from '@worktrack/contracts/events/contract';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Delivery } from '@worktrack/contracts/events/webhook';
import type { Operation, Output, RawInput } from '@worktrack/contracts/operation';
import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import { connectDatabase, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { createLog } from '@worktrack/runtime/process/logging';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { vi } from 'vitest';
import { contextOf } from '../../../test/support/handled-call.ts';
import { servers } from '../../../test/support/servers.ts';
import { handlers } from '../handlers.ts';
import { takeIn } from '../log/intake.ts';
import { event, notificationService, WEBHOOK_SECRETS, WEBHOOK_SETTINGS } from '../testing.ts';
import { WebhookService, type WebhookSettings } from './service.ts';

type Operations = (typeof eventsContract)['operations'];
type Name = keyof Operations;

const PROCESS = new URL('./test-process.ts', import.meta.url);

export interface TestCaller {
  readonly organizationId: string;
  readonly userId: string;
  readonly keyId: string;
  readonly permissions: readonly Permission[];
  readonly projects?: readonly string[];
}

export const newCaller = (permissions: readonly Permission[] = PERMISSIONS): TestCaller => ({
  organizationId: uuidv7(),
  userId: uuidv7(),
  keyId: uuidv7(),
  permissions,
});

/** The webhooks of the service without its queues, on a real database. Its commands can be listened to. */
export async function startWebhooks() {
  const { mongodbUrl, databasePrefix } = await servers();
  const log = createLog('test', 'silent');
  const url = new URL(mongodbUrl);
  url.searchParams.set('monitorCommands', 'true');
  await connectDatabase({ url: url.href, database: `${databasePrefix}_events`, log });
  const running = new Set<WebhookService>();

  /** Another process of the service. */
  function replica(settings: Partial<WebhookSettings> = {}, dnsServers?: readonly string[]) {
    const service = new WebhookService({ ...WEBHOOK_SETTINGS, ...settings }, log, dnsServers);
    service.start();
    running.add(service);
    const table = handlers(service, notificationService(), undefined);

    async function call<N extends Name>(
      name: N,
      input: RawInput<Operations[N]>,
      caller: TestCaller,
      idempotencyKey: string = uuidv7(),
    ): Promise<Output<Operations[N]>> {
      const operation: Operation = eventsContract.operations[name];
      const context = contextOf(caller, { idempotencyKey });
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

  /** Puts events into the log of the caller's organization. */
  async function append(caller: TestCaller, news: readonly Partial<LoggedEvent>[]): Promise<LoggedEvent[]> {
    const { organizationId, userId, keyId } = caller;
    const logged: LoggedEvent[] = [];
    // Only one of them, as in the service: whoever writes the log notifies its own process.
    const [writing] = running;
    await takeIn(
      news.map((changes) => event({ organizationId, actor: { userId, keyId }, ...changes })),
      (_, its) => {
        logged.push(...its);
        writing?.logged(organizationId, its);
      },
    );
    return logged;
  }

  return {
    ...replica(),
    replica,
    append,
    /** A real separate process. */
    spawn: () => fork(PROCESS, [mongodbUrl, `${databasePrefix}_events`, WEBHOOK_SECRETS]),
    async stop() {
      for (const service of running) await service.stop();
      await disconnectDatabase();
    },
  };
}

export type Webhooks = Awaited<ReturnType<typeof startWebhooks>>;

/** Waits until something holds, as the repository's tests do: no event announces it. */
export function until<T>(look: () => T | Promise<T>, timeoutMs = 60_000): Promise<T> {
  return vi.waitFor(look, { timeout: timeoutMs, interval: 50 });
}

export const statesOf = (deliveries: readonly Delivery[]) =>
  deliveries.map(({ seq, state, attempts, status }) => ({ seq, state, attempts, status }));
