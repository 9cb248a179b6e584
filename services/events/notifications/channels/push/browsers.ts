import { createHash, ECDH } from 'node:crypto';
import type { Caller } from '@worktrack/contracts/caller';
import {
  type listBrowsers as listOperation,
  MAX_BROWSERS,
  type SubscribedBrowser,
  type subscribeBrowser as subscribeOperation,
  type unsubscribeBrowser as unsubscribeOperation,
} from '@worktrack/contracts/events/push';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext, WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { oneAtATime } from '@worktrack/runtime/database/one-at-a-time';
import { uuidv8Of } from '@worktrack/runtime/process/uuid';
import { existing } from '../../notifications.repository.ts';
import type { NotificationService } from '../service.ts';
import { browserName } from './browser-name.ts';
import { browsersOf, type PushChannel, removeBrowser, saveBrowser } from './browsers.repository.ts';

export async function listBrowsers(
  { pusher }: NotificationService,
  _: Input<typeof listOperation>,
  { caller }: ReadContext,
): Promise<Output<typeof listOperation>> {
  const publicKey = pusher?.publicKey ?? null;
  // One that was subscribed with another key gets nothing any more.
  const current = (await browsersOf(caller)).filter(({ push }) => push.publicKey === publicKey);
  return { publicKey, subscriptions: current.map((each) => shown(each, caller)) };
}

export async function subscribeBrowser(
  { destinations, pusher }: NotificationService,
  { endpoint, keys }: Input<typeof subscribeOperation>,
  context: WriteContext<FailureOf<typeof subscribeOperation>>,
): Promise<Output<typeof subscribeOperation>> {
  const { caller, tx } = context;
  if (!pusher) {
    throw context.fail(
      'VALIDATION_FAILED',
      'This installation does not push. Whoever runs it sets VAPID_KEYS (docs/operations.md).',
    );
  }
  const problem = destinations.problemOf(endpoint);
  if (problem !== undefined) throw wrong(context, 'endpoint', problem);
  if (!isPoint(keys.p256dh)) throw wrong(context, 'keys.p256dh', 'must be a point of P-256');

  const id = idOf(caller.organizationId, endpoint);
  const { publicKey } = pusher;
  const all = await browsersOf(caller, tx);
  const before = all.find(({ push }) => push.id === id);
  const others = all.filter(({ push }) => push.id !== id && push.publicKey === publicKey);
  if (others.length >= MAX_BROWSERS) {
    throw context.fail(
      'CONFLICT',
      `You are told in ${MAX_BROWSERS} browsers already. Remove one that you no longer use.`,
      { reason: 'limit' },
    );
  }
  await oneAtATime(context, 'browsers');
  const push = {
    ...{ id, endpoint, keys, publicKey },
    browser: browserName(caller.sender?.userAgent),
    since: before?.push.since ?? new Date(),
    projects: caller.projects ? [...caller.projects] : null,
  };
  await saveBrowser(caller, push, before === undefined, tx);
  return shown({ ...before, push }, caller);
}

export const unsubscribeBrowser: WriteAlone<typeof unsubscribeOperation> = async ({ id }, { caller, tx, fail }) => {
  if (await removeBrowser({ ...caller, id }, tx)) return { deleted: true, id };
  throw fail('NOT_FOUND', 'You have no browser with this id: GET /api/me/push lists those that you are told in.');
};

/** The same for the same: a browser is told once, however often it says where, and by whomever it is used. */
const idOf = (organizationId: string, endpoint: string) =>
  uuidv8Of(createHash('sha256').update(`${organizationId}\n${endpoint}`).digest());

function isPoint(p256dh: string): boolean {
  try {
    return ECDH.convertKey(p256dh, 'prime256v1', 'base64url', 'hex', 'uncompressed') !== '';
  } catch {
    return false;
  }
}

function wrong({ fail }: WriteContext<FailureOf<typeof subscribeOperation>>, path: string, message: string): Error {
  return fail('VALIDATION_FAILED', `${path}: ${message}.`, { details: [{ path, message }] });
}

function shown(
  { push, toldAt }: Pick<PushChannel, 'push' | 'toldAt'>,
  caller: Pick<Caller, 'projects'>,
): SubscribedBrowser {
  const { id, browser, since, projects } = push;
  return {
    id,
    browser,
    createdAt: since.toISOString(),
    lastUsedAt: toldAt?.toISOString() ?? null,
    projects: existing(projects, caller),
  };
}
