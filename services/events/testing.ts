import { randomUUID } from 'node:crypto';
import type { Caller } from '@worktrack/contracts/caller';
import { eventsContract } from '@worktrack/contracts/events/contract';
import type {
  EventType,
  LoggedEvent,
  PublishedEvent,
  PublishedLogEvent,
  SubjectKind,
} from '@worktrack/contracts/events/event';
import type { Operation, Output, RawInput } from '@worktrack/contracts/operation';
import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import { connectDatabase, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { keyRingSetting } from '@worktrack/runtime/process/key-ring';
import { createLog } from '@worktrack/runtime/process/logging';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { contextOf } from '../../test/support/handled-call.ts';
import { servers } from '../../test/support/servers.ts';
import { HeadSigner } from './audit/signing.ts';
import { eraseNoted } from './erasures/erase.ts';
import { handlers } from './handlers.ts';
import { NotificationService, type NotificationSettings } from './notifications/channels/service.ts';
import { takeAll } from './take.ts';
import { WebhookService, type WebhookSettings } from './webhooks/service.ts';

type Operations = (typeof eventsContract)['operations'];
type Name = keyof Operations;

export const WEBHOOK_SECRETS = 'test:a secret of the tests; it is long enough';
export const WEBHOOK_SETTINGS: WebhookSettings = {
  WEBHOOK_SECRETS: keyRingSetting.parse(WEBHOOK_SECRETS),
  WEBHOOK_ALLOWED_NETWORKS: ['127.0.0.1'],
};

const NOTIFICATION_SETTINGS = {
  ...{ WEBHOOK_SECRETS: WEBHOOK_SETTINGS.WEBHOOK_SECRETS, NOTIFICATION_ALLOWED_NETWORKS: ['127.0.0.1'] },
  ...{ PUBLIC_URL: 'https://worktrack.example', SMTP_URL: undefined, MAIL_FROM: undefined },
  ...{ VAPID_KEYS: undefined, VAPID_SUBJECT: undefined },
};

/** Another process of the service that tells users besides the console, once it is started. */
export function notificationService(changes: Partial<NotificationSettings> = {}): NotificationService {
  return new NotificationService({ ...NOTIFICATION_SETTINGS, ...changes }, createLog('test', 'silent'));
}

/** The service without its queues: its handlers and its intake, on a real database. */
export async function startEvents(settings: Partial<NotificationSettings> = {}) {
  const { mongodbUrl, databasePrefix } = await servers();
  const log = createLog('test', 'silent');
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_events`, log });
  const signer = new HeadSigner(keyRingSetting.parse('test:another secret of the tests; it is long enough'));
  const tableOf = (changes: Partial<NotificationSettings>) =>
    handlers(new WebhookService(WEBHOOK_SETTINGS, log), notificationService(changes), signer);
  const table = tableOf(settings);

  const callOf =
    (handled: typeof table) =>
    async <N extends Name>(
      name: N,
      input: RawInput<Operations[N]>,
      organizationId: string,
      permissions: readonly Permission[] = PERMISSIONS,
      as: Partial<Pick<Caller, 'userId' | 'projects' | 'sender'>> = {},
      idempotencyKey: string = uuidv7(),
    ): Promise<Output<Operations[N]>> => {
      const operation: Operation = eventsContract.operations[name];
      const caller = { organizationId, userId: uuidv7(), keyId: uuidv7(), permissions, ...as };
      const context = contextOf(caller, { idempotencyKey });
      const handler = handled[name];
      if (!('one' in handler)) throw new Error(`${name} is not called alone.`);
      return (await handler.one(operation.input.parse(input) as never, context)).output as Output<Operations[N]>;
    };
  const call = callOf(table);
  /** The service after it was started again with other settings. */
  const restarted = (changes: Partial<NotificationSettings>) => callOf(tableOf(changes));

  /** Everything in the log, in order. */
  async function everything(organizationId: string): Promise<LoggedEvent[]> {
    const all: LoggedEvent[] = [];
    for (let after = 0; ; ) {
      const { events, nextSeq } = await call('events.list', { after, limit: 200 }, organizationId);
      all.push(...events);
      if (nextSeq === after) return all;
      after = nextSeq;
    }
  }

  /** As they arrive from the queue. */
  const take = async (events: readonly PublishedEvent[]) => {
    await takeAll(events, () => {});
    await eraseNoted();
  };
  async function exported(organizationId: string, range: RawInput<Operations['audit.export']>): Promise<string> {
    const caller = { organizationId, userId: uuidv7(), keyId: uuidv7(), permissions: PERMISSIONS };
    const handler = table['audit.export'];
    if (!('download' in handler)) throw new Error('It sends bytes.');
    const { bytes } = await handler.download(range, { caller, requestId: uuidv7() } as never);
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  return { call, restarted, everything, exported, take, signer, stop: disconnectDatabase };
}

/** An event as a service publishes it, of an organization of its own unless stated otherwise. */
export function event(
  changes: Partial<PublishedLogEvent> & { subjectId?: string; taskId?: string } = {},
): PublishedLogEvent {
  const { type = 'work_item.updated', subjectId = uuidv7(), taskId, ...rest } = changes;
  const kind = type.slice(0, type.indexOf('.')) as SubjectKind;
  return {
    id: uuidv7(),
    organizationId: randomUUID(),
    type: type as EventType,
    at: new Date().toISOString(),
    actor: null,
    subject: { kind, id: subjectId, ...(taskId !== undefined && { taskId }) },
    revision: 1,
    data: {},
    ...rest,
  };
}
