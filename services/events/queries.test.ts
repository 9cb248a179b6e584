import { createECDH, randomUUID } from 'node:crypto';
import { eventsContract } from '@worktrack/contracts/events/contract';
import type { RawInput } from '@worktrack/contracts/operation';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OperationPlans } from '../../test/mongodb/plan/plans.ts';
import { CallsAgain, storedOf } from '../../test/support/calls-again.ts';
import { enterRefusals } from './audit/refusals.ts';
import { eraseNoted } from './erasures/erase.ts';
import { heads, setQueued, unqueuedHeads } from './log/heads.repository.ts';
import { at, following } from './log/places.repository.ts';
import {
  dueChannels,
  isAnyDue,
  markTold,
  releaseChannel,
  takeChannel,
  untoldOf,
} from './notifications/channels/channels.repository.ts';
import { browsersOf, limitBrowsers } from './notifications/channels/push/browsers.repository.ts';
import {
  limitChannels,
  settingsOfUser,
  stopWebhook,
  turnChannelsOff,
  turnMailOff,
} from './notifications/notifications.repository.ts';
import { event, startEvents } from './testing.ts';
import {
  freshDeliveries,
  heldSubjects,
  nextRetries,
  queueDelivery,
  recordAttempts,
} from './webhooks/deliveries/deliveries.repository.ts';
import { beat, dispatchers, insertDispatcher, removeDispatcher } from './webhooks/turns/dispatchers.repository.ts';
import {
  advance,
  advanceAndTake,
  dueWebhooks,
  enabledWebhooks,
  firstDue,
  freeTakenBy,
  holders,
  lowestCursors,
  nextDueAt,
  releaseWebhooks,
  replaceSecrets,
  secretsAfter,
  takeWebhooks,
} from './webhooks/webhooks.repository.ts';

type Operations = (typeof eventsContract)['operations'];

const p256dh = () => createECDH('prime256v1').generateKeys('base64url');

let events: Awaited<ReturnType<typeof startEvents>>;
beforeAll(async () => {
  // Nobody is sent anything here.
  const VAPID_KEYS = { publicKey: p256dh(), privateKey: '' };
  events = await startEvents({ SMTP_URL: 'smtp://127.0.0.1:9', VAPID_KEYS });
});
afterAll(() => events.stop());

/** @param byItself runs what the service does on its own. @returns the organization that all was done in */
async function callAll(call: typeof events.call, byItself: <T>(name: string, run: () => Promise<T>) => Promise<T>) {
  const organizationId = randomUUID();
  const ask = <N extends keyof Operations>(name: N, input: RawInput<Operations[N]>) =>
    call(name, input, organizationId);
  const projectId = randomUUID();
  const several = () => [event({ organizationId, projectId }), event({ organizationId, projectId, taskId: 'W-T-1' })];
  await byItself('intake', () => events.take(several()));
  const twice = several();
  await byItself('intake', () => events.take(twice));
  await byItself('intake', () => events.take(twice));
  await ask('events.list', {});
  await ask('events.list', { after: 0, types: 'work_item.*', projectId, workItemId: 'W-T-1' });
  await ask('events.list', { after: 1, workItemId: randomUUID() });

  // Nothing listens on this port: discard (RFC 863).
  const { id } = await ask('webhooks.create', { url: 'http://127.0.0.1:9/hook' });
  await ask('webhooks.list', {});
  await ask('webhooks.get', { id });
  await ask('webhooks.update', { id, types: ['work_item.*'] });
  await ask('webhooks.rotate', { id });
  await ask('webhooks.test', { id });
  const scope = { caller: { organizationId } };
  const logged = [...(await at(organizationId, [1, 2, 3])).values()];

  await byItself('queueing', async () => {
    await setQueued(await unqueuedHeads('', 1_000));
    await lowestCursors([organizationId]);
    await firstDue(20);
    await heads([organizationId]);
    await following(organizationId, 0, 200);
    const [idle] = await enabledWebhooks(scope);
    if (!idle) throw new Error('It is enabled.');
    const taken = await commitAlone(async ({ writes }) =>
      advanceAndTake({ ...scope, writes }, idle, idle.cursor, 'holder'),
    );
    const end = { dueAt: null, notBefore: null, unwell: false, failingSince: null };
    await releaseWebhooks([{ webhook: taken, holder: 'holder', end }]);
    await commitAlone(async ({ tx, writes }) => {
      const [webhook] = await enabledWebhooks({ ...scope, tx });
      if (!webhook) throw new Error('It is enabled.');
      for (const each of logged) queueDelivery({ ...scope, writes }, webhook._id, each);
      advance({ ...scope, writes }, webhook, 3, 'due');
    });
  });

  await byItself('sending', async () => {
    const now = new Date();
    for (const unwell of [true, false]) {
      await dueWebhooks({ unwell, now, limit: 10, notOf: [] });
      await dueWebhooks({ unwell, now, limit: 10, notOf: [randomUUID()] });
    }
    await nextDueAt();
    const [webhook] = await enabledWebhooks(scope);
    if (!webhook) throw new Error('It is enabled.');
    await takeWebhooks([webhook], 'holder');
    await heldSubjects(scope, [id], Date.now());
    await nextRetries(scope, id, { limit: 100 });
    const [first, second, third] = await freshDeliveries(scope, id, { notAbout: [], limit: 100 });
    if (!first || !second || !third) throw new Error('There are three.');
    await freshDeliveries(scope, id, { notAbout: [second.about], after: first, limit: 100 });
    // Not among those that were read last.
    await at(organizationId, [first.seq + 1_000]);
    const outcome = { status: 200, error: null, answer: '', durationMs: 1, at: now };
    const failed = { ...outcome, status: 500 };
    await recordAttempts([
      { organizationId, delivery: first, outcome },
      { organizationId, delivery: second, outcome: failed },
      { organizationId, delivery: third, outcome: failed, retryAtMs: Date.now(), holdsUntilMs: Date.now() },
    ]);
    await nextRetries(scope, id, { after: { ...third, dueAtMs: 0 }, limit: 100 });
    const end = { dueAt: null, notBefore: null, unwell: false, failingSince: null };
    // It has changed since, so that each of the three ways fails.
    await releaseWebhooks([{ webhook: { ...webhook, revision: webhook.revision + 1 }, holder: 'holder', end }]);
  });

  await byItself('presence', async () => {
    await insertDispatcher('holder');
    await beat('holder');
    await dispatchers();
    await holders();
    const [webhook] = await enabledWebhooks(scope);
    if (webhook) await takeWebhooks([webhook], 'holder');
    await freeTakenBy('holder');
    await removeDispatcher('holder');
  });

  await byItself('resealing', async () => {
    for (const webhook of await secretsAfter('', 10)) {
      await replaceSecrets({ caller: webhook }, webhook, webhook.secrets);
    }
  });

  const { items, nextCursor } = await ask('webhooks.deliveries', { id, limit: 1 });
  await ask('webhooks.deliveries', { id, limit: 1, cursor: nextCursor ?? '', state: 'pending' });
  await ask('webhooks.replay', { id, deliveryIds: items.flatMap(({ seq, id: one }) => (seq > 0 ? [one] : [])) });
  await ask('webhooks.replay', { id, after: 1 });
  await ask('webhooks.delete', { id });

  const refused = {
    ...{ organizationId, action: 'keys.create', minute: 0, targets: [], count: 1 },
    actor: { type: 'key' as const, id: randomUUID(), name: 'CI', userId: randomUUID() },
    context: { address: null, userAgent: null, requestId: null },
  };
  await ask('audit.recordRefusals', { refusals: [refused] });
  await byItself('audit', async () => {
    await enterRefusals();
    await events.signer.signAll();
    await events.take([event({ organizationId, type: 'user.erased', subjectId: refused.actor.userId })]);
    await eraseNoted(new Date(Date.now() + 5 * 60_000));
  });
  const workItemId = randomUUID();
  await ask('notifications.setWatch', { workItemId, watching: true });
  await ask('notifications.setWatch', { workItemId, watching: false });
  await ask('notifications.isWatching', { workItemId });
  await ask('notifications.settings', {});
  const address = 'ada@example.com';
  await ask('notifications.store', { kinds: { move: false }, address });
  await ask('notifications.unsubscribe', { token: '' });
  const userId = randomUUID();
  const own = { mail: 'at_once', webhook: { url: 'http://127.0.0.1:9/hook', format: 'slack' }, address } as const;
  await call('notifications.store', own, organizationId, undefined, { userId });
  const browser = { endpoint: 'http://127.0.0.1:9/send', keys: { p256dh: p256dh(), auth: 'A'.repeat(22) } };
  await ask('push.subscribe', browser);
  await call('push.subscribe', browser, organizationId, undefined, { userId });
  await call('push.subscribe', browser, organizationId, undefined, { userId });
  await ask('push.list', {});
  await ask('invitations.mail', {
    ...{ id: uuidv7(), to: address, code: 'wtc_code', expiresAt: new Date().toISOString() },
    ...{ inviter: 'Ada', organization: 'Example', language: 'en' },
  });
  await ask('notifications.stored', { limit: 1 });
  await ask('notifications.stored', { unread: true });
  await ask('notifications.mentions', { limit: 1 });
  await ask('notifications.mentions', { limit: 1, after: { since: new Date().toISOString(), id: uuidv7() } });
  await ask('notifications.read', {});
  await ask('notifications.read', { ids: [uuidv7()] });
  await ask('notifications.read', { workItemId });
  await ask('notifications.setWatch', { workItemId, watching: true });
  await byItself('notifying', async () => {
    const said = event({
      ...{ organizationId, projectId, type: 'work_item.commented', subjectId: workItemId, taskId: 'W-T-1' },
      data: { text: 'Look', mentions: [randomUUID(), userId] },
    });
    await events.take([said]);
    await events.take([said]);
  });
  await byItself('telling', async () => {
    const now = new Date();
    const which = { channel: 'webhook', now, limit: 10 } as const;
    expect(await isAnyDue(['webhook'], now)).toBe(true);
    await dueChannels({ ...which, unwell: true, notOf: [organizationId] });
    const [due] = await dueChannels({ ...which, unwell: false, notOf: [] });
    const taken = due && (await takeChannel(due, 'holder', now, new Date(now.getTime() + 1_000)));
    const settings = await settingsOfUser({ organizationId, userId });
    if (!taken || !settings?.webhook) throw new Error('It is due.');
    const untold = await untoldOf(taken, settings.webhook.since, 10);
    await markTold(
      taken,
      untold.map(({ _id }) => _id),
    );
    await releaseChannel({ ...taken, wakes: -1 }, { attempts: 0, unwell: false, notBefore: now });
    await stopWebhook({ organizationId, userId }, settings.webhook, 'It is gone.');
    await limitChannels({ organizationId, userId }, [projectId]);
    await limitBrowsers({ organizationId, userId }, [projectId]);
    await turnChannelsOff(organizationId, [userId]);
    await commitAlone(({ tx }) => turnMailOff({ organizationId, userId }, tx));
  });
  const [subscribed] = await browsersOf({ organizationId, userId });
  if (!subscribed) throw new Error('It is subscribed.');
  await call('push.unsubscribe', { id: subscribed.push.id }, organizationId, undefined, { userId });
  await byItself('notifying', async () => {
    await events.take([event({ organizationId, type: 'work_item.deleted', subjectId: workItemId })]);
  });
  const range = { from: '2026-01-01', to: '2099-01-01' };
  const names = { actor: refused.actor.id, action: refused.action, target: randomUUID() };
  await ask('audit.list', { limit: 1 });
  await ask('audit.list', { after: 0, ...names });
  for (const [name, value] of Object.entries(names)) await ask('audit.list', { [name]: value, ...range });
  await ask('audit.list', { ...names, ...range });
  await ask('audit.heads', {});
  await ask('audit.keys', {});
  await byItself('audit.export', () => events.exported(organizationId, range));
  return organizationId;
}

/** Where all was done once. */
let once: string;

/** As services/workitems/queries.test.ts; and what the service asks on its own, when it takes events in and sends them. */
test('every query of every operation is answered by an index, without a sort', async () => {
  // As many dispatchers as replicas.
  const plans = new OperationPlans(eventsContract, { small: ['dispatchers'], elsewhere: ['audit.export'] });
  once = await callAll(
    (name, ...rest) => plans.of(name, () => events.call(name, ...rest)),
    (name, run) => plans.of(name, run),
  );
  expect(plans.faults).toEqual([]);
  await expect(plans.table('Events')).toMatchFileSnapshot('../../test/surface/plans/events.md');
});

test('each write takes effect once, though the reply to its commit is lost and the call comes again', async () => {
  const again = new CallsAgain(eventsContract);
  const organization = await callAll(
    (name, input, organizationId, permissions, as) => {
      const by = { userId: randomUUID(), ...as };
      return again.of(name, (idempotencyKey) =>
        events.call(name, input, organizationId, permissions, by, idempotencyKey),
      );
    },
    (_, run) => run(),
  );
  // What is taken in turns with all organizations.
  const besides = ['deliveries', 'heads', 'notification_channels'];
  expect(await storedOf(organization, besides)).toEqual(await storedOf(once, besides));
});
