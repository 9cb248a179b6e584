import { ROLE_PERMISSIONS } from '@worktrack/contracts/permissions';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Endpoint } from '../../../test/support/webhook-endpoint.ts';
import { eraseUserFromLog } from '../log/erase-user.repository.ts';
import { LogModel } from '../log/log.model.ts';
import { signatureHeaders } from './sending/signature.ts';
import { newCaller, startWebhooks, statesOf, type TestCaller, until, type Webhooks } from './testing.ts';
import { WebhookModel } from './webhooks.model.ts';

let webhooks: Webhooks;
const endpoints: Endpoint[] = [];
beforeAll(async () => {
  webhooks = await startWebhooks();
});
afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.stop();
});
afterAll(() => webhooks.stop());

async function endpoint(...answer: Parameters<typeof Endpoint.start>): Promise<Endpoint> {
  const started = await Endpoint.start(...answer);
  endpoints.push(started);
  return started;
}

async function webhookTo(at: Endpoint, caller: TestCaller, changes: object = {}) {
  return webhooks.call('webhooks.create', { url: at.url, ...changes }, caller);
}

async function deliveries(id: string, caller: TestCaller, limit = 100) {
  return (await webhooks.call('webhooks.deliveries', { id, limit }, caller)).items;
}

test('every event is sent once, as it is in the log, to each webhook that asks for it', async () => {
  const caller = newCaller();
  const [all, some] = [await endpoint(), await endpoint()];
  const projectId = uuidv7();
  const first = await webhookTo(all, caller);
  await webhookTo(some, caller, { types: ['work_item.*', 'project.created'], projectId });
  const logged = await webhooks.append(caller, [
    { type: 'work_item.moved', projectId, data: { from: 'To Do', to: 'Review' } },
    { type: 'work_item.moved', projectId: uuidv7() },
    { type: 'project.created', projectId, subject: { kind: 'project', id: projectId } },
    { type: 'project.updated', projectId, subject: { kind: 'project', id: projectId } },
    { type: 'key.created', subject: { kind: 'key', id: uuidv7() } },
  ]);
  await until(() => expect(all.received).toHaveLength(5));
  await until(() => expect(some.received).toHaveLength(2));
  expect(all.received.map(({ event }) => event).sort((a, b) => a.seq - b.seq)).toMatchObject(
    logged.map(({ id, seq }) => ({ id, seq })),
  );
  expect(some.seqs.toSorted()).toEqual([1, 3]);
  await until(async () => {
    const items = await deliveries(first.id, caller);
    expect(statesOf(items)).toEqual(
      [5, 4, 3, 2, 1].map((seq) => ({ seq, state: 'delivered', attempts: 1, status: 200 })),
    );
  });
  expect(await webhooks.call('webhooks.get', { id: first.id }, caller)).toMatchObject({ state: 'active', seq: 5 });
});

test('what its maker’s key may not read is not sent', async () => {
  const caller = newCaller(['webhooks:write', 'webhooks:read', 'work-items:read']);
  const at = await endpoint();
  await webhookTo(at, caller);
  await webhooks.append(caller, [
    { type: 'key.created', subject: { kind: 'key', id: uuidv7() } },
    { type: 'user.created', subject: { kind: 'user', id: uuidv7() } },
    { type: 'work_item.created' },
    { type: 'feedback.received', subject: { kind: 'feedback', id: uuidv7() } },
    { type: 'work_item.created' },
  ]);
  await until(() => expect(at.seqs).toEqual([3, 5]));
});

test('the events of a subject arrive in order, one after the other, those of other subjects in parallel', {
  timeout: 90_000,
}, async () => {
  const caller = newCaller();
  const underWay = new Set<string>();
  let overlaps = 0;
  const at = await endpoint(({ event }) => (response) => {
    const { id } = event.subject;
    if (underWay.has(id)) overlaps++;
    underWay.add(id);
    setImmediate(() => {
      underWay.delete(id);
      response.end();
    });
  });
  await webhookTo(at, caller);
  const subjects = Array.from({ length: 12 }, () => uuidv7());
  const events = Array.from({ length: 600 }, (_, index) => ({
    subject: { kind: 'work_item' as const, id: subjects[index % 12] ?? '' },
  }));
  await webhooks.append(caller, events);
  await until(() => expect(at.received).toHaveLength(600), 60_000);
  for (const id of subjects) {
    const seqs = at.received.flatMap(({ event }) => (event.subject.id === id ? [event.seq] : []));
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect(seqs).toHaveLength(50);
  }
  expect(overlaps).toBe(0);
  expect(at.mostUnderWay).toBeGreaterThan(1);
  expect(at.mostUnderWay).toBeLessThanOrEqual(8);
});

test('an event that fails is retried, and the later ones of its subject wait for it', async () => {
  const caller = newCaller();
  const failing = uuidv7();
  let refuse = true;
  const at = await endpoint(({ event }) => (refuse && event.subject.id === failing ? 503 : 200));
  const { id } = await webhookTo(at, caller);
  const about = (subject: string) => ({ subject: { kind: 'work_item' as const, id: subject } });
  await webhooks.append(caller, [about(failing), about(failing), about(uuidv7()), about(failing), about(uuidv7())]);
  await until(() => expect(new Set(at.seqs)).toEqual(new Set([1, 3, 5])));
  expect(await webhooks.call('webhooks.get', { id }, caller)).toMatchObject({ seq: 5 });
  refuse = false;
  // The first retry is 5 s later.
  await until(() => expect(at.seqs).toContain(4));
  const again = at.received.filter(({ event }) => event.seq === 1);
  const ofSubject = at.received.flatMap(({ event }) => (event.subject.id === failing ? [event.seq] : []));
  expect(ofSubject).toEqual([...again.map(() => 1), 2, 4]);
  expect(again.map(({ headers }) => headers['webhook-attempt'])).toEqual(again.map((_, index) => `${index + 1}`));
  expect(new Set(again.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(again.map(({ body }) => body)).size).toBe(1);
  await until(async () => {
    const items = await deliveries(id, caller);
    expect(items.every(({ state }) => state === 'delivered')).toBe(true);
  });
});

test('an endpoint that never answers, and one that refuses, delay nobody else', async () => {
  const caller = newCaller();
  const [silent, refusing, well] = [await endpoint(() => () => {}), await endpoint(() => 500), await endpoint()];
  for (const at of [silent, refusing]) for (let i = 0; i < 3; i++) await webhookTo(at, caller);
  await webhookTo(well, caller);
  await webhooks.append(
    caller,
    Array.from({ length: 100 }, () => ({})),
  );
  // One after the other behind the silent ones it would take minutes.
  await until(() => expect(well.received).toHaveLength(100), 60_000);
});

test('410 disables at once, and an event says so', async () => {
  const caller = newCaller();
  const at = await endpoint(() => 410);
  const { id } = await webhookTo(at, caller);
  await webhooks.append(caller, [{}]);
  await until(async () =>
    expect(await webhooks.call('webhooks.get', { id }, caller)).toMatchObject({
      enabled: false,
      state: 'disabled',
      disabledReason: 'gone',
    }),
  );
  expect(at.received).toHaveLength(1);
});

test.each([301, 302, 307, 308])('%d is a failure, and is not followed', async (status) => {
  const caller = newCaller();
  const elsewhere = await endpoint();
  const at = await endpoint(() => (response) => response.writeHead(status, { location: elsewhere.url }).end());
  const { id } = await webhookTo(at, caller);
  await webhooks.append(caller, [{}]);
  await until(async () => {
    const [delivery] = await deliveries(id, caller);
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1, status });
  });
  expect(elsewhere.received).toEqual([]);
});

test('Retry-After is respected', async () => {
  const caller = newCaller();
  const at = await endpoint(() => (response) => response.writeHead(429, { 'retry-after': '3600' }).end());
  const { id } = await webhookTo(at, caller);
  await webhooks.append(caller, [{}]);
  await until(async () => {
    const [delivery] = await deliveries(id, caller);
    const waitsMs = Date.parse(delivery?.nextAttemptAt ?? '') - Date.parse(delivery?.attemptedAt ?? '');
    expect(waitsMs).toBeGreaterThanOrEqual(3_600_000);
  });
});

test('the first 1 024 bytes of an answer are shown, and no more than 64 KiB are read', async () => {
  const caller = newCaller();
  let written = 0;
  const at = await endpoint(() => (response) => {
    response.writeHead(200);
    const write = () => {
      while (written < 64 * 1024 * 1024 && response.write('ä'.repeat(8_192))) written += 16_384;
    };
    response.on('drain', write);
    write();
  });
  const { id } = await webhookTo(at, caller);
  await webhooks.append(caller, [{}]);
  await until(async () => {
    const [delivery] = await deliveries(id, caller);
    expect(delivery).toMatchObject({ state: 'delivered', answer: 'ä'.repeat(512) });
  });
  // Plus what is in the buffers of the two sockets.
  expect(written).toBeLessThan(32 * 1024 * 1024);
});

test('a test is sent once and at once, even to a disabled webhook, and the answer reports the outcome', async () => {
  const caller = newCaller();
  const at = await endpoint();
  const { id } = await webhookTo(at, caller, { enabled: false });
  const well = await webhooks.call('webhooks.test', { id }, caller);
  expect(well).toMatchObject({ state: 'delivered', status: 200, answer: 'ok', seq: 0, type: 'webhook.test' });
  expect(at.received[0]?.event).toMatchObject({ type: 'webhook.test', subject: { kind: 'webhook', id } });
  at.answers(() => 500);
  const ill = await webhooks.call('webhooks.test', { id }, caller);
  expect(ill).toMatchObject({ state: 'failed', status: 500, nextAttemptAt: null });
  expect(statesOf(await deliveries(id, caller))).toEqual([
    { seq: 0, state: 'failed', attempts: 1, status: 500 },
    { seq: 0, state: 'delivered', attempts: 1, status: 200 },
  ]);
});

test('a webhook that is enabled again continues where it stopped', async () => {
  const caller = newCaller();
  const at = await endpoint();
  const { id } = await webhookTo(at, caller);
  await webhooks.append(caller, [{}]);
  await until(() => expect(at.seqs).toEqual([1]));
  await webhooks.call('webhooks.update', { id, enabled: false }, caller);
  await webhooks.append(caller, [{}, {}]);
  expect(await webhooks.call('webhooks.get', { id }, caller)).toMatchObject({
    state: 'disabled',
    disabledReason: 'by_hand',
  });
  await webhooks.call('webhooks.update', { id, enabled: true }, caller);
  await until(() => expect(at.seqs.toSorted()).toEqual([1, 2, 3]));
});

test('a replay resends what the log has after a place, with the same ids', async () => {
  const caller = newCaller();
  const at = await endpoint();
  const { id } = await webhookTo(at, caller);
  await webhooks.append(caller, [{}, {}, {}]);
  await until(() => expect(at.received).toHaveLength(3));
  expect(await webhooks.call('webhooks.replay', { id, after: 1 }, caller)).toEqual({ replayed: 2 });
  await until(() => expect(at.received).toHaveLength(5));
  expect(at.seqs.slice(3).toSorted()).toEqual([2, 3]);
  expect(new Set(at.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  await expect(webhooks.call('webhooks.replay', { id, after: 9 }, caller)).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
  });
  await expect(webhooks.call('webhooks.replay', { id }, caller)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
});

test('what the log has dropped is not sent any more; a webhook disabled meanwhile continues where the log begins', async () => {
  const caller = newCaller();
  const { organizationId } = caller;
  const at = await endpoint();
  const { id } = await webhookTo(at, caller, { enabled: false });
  await webhooks.append(
    caller,
    Array.from({ length: 250 }, () => ({})),
  );
  for (let seq = 1; seq <= 240; seq++) await LogModel.deleteOne({ organizationId, seq });
  await webhooks.call('webhooks.update', { id, enabled: true }, caller);
  await until(() =>
    expect(at.seqs.toSorted((a, b) => a - b)).toEqual([241, 242, 243, 244, 245, 246, 247, 248, 249, 250]),
  );
  await until(async () => expect(await webhooks.call('webhooks.get', { id }, caller)).toMatchObject({ seq: 250 }));
  await expect(webhooks.call('webhooks.replay', { id, after: 239 }, caller)).rejects.toThrow('the log begins at 241');
  expect(await webhooks.call('webhooks.replay', { id, after: 249 }, caller)).toEqual({ replayed: 1 });
  await until(() => expect(at.seqs).toHaveLength(11));
});

test('a replay of deliveries resends those, on a schedule that starts afresh', async () => {
  const caller = newCaller();
  const at = await endpoint();
  const { id } = await webhookTo(at, caller);
  await webhooks.append(caller, [{}, {}]);
  await until(async () => {
    const states = (await deliveries(id, caller)).map(({ state }) => state);
    expect(states).toEqual(['delivered', 'delivered']);
  });
  const [second] = await deliveries(id, caller);
  expect(second).toMatchObject({ seq: 2, attempts: 1 });
  const deliveryIds = [second?.id ?? ''];
  expect(await webhooks.call('webhooks.replay', { id, deliveryIds }, caller)).toEqual({ replayed: 1 });
  await until(() => expect(at.seqs.slice(2)).toEqual([2]));
  expect(at.received.at(-1)?.headers['webhook-attempt']).toBe('2');
  await expect(webhooks.call('webhooks.replay', { id, deliveryIds: [uuidv7()] }, caller)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('a replay of deliveries that have not been tried yet sends each of them once', async () => {
  const caller = newCaller();
  const at = await endpoint(() => (response) => response.writeHead(503, { 'retry-after': '300' }).end());
  const { id } = await webhookTo(at, caller);
  const states = async () => (await deliveries(id, caller)).map(({ seq, state, attempts }) => [seq, state, attempts]);
  await webhooks.append(caller, [{}]);
  await until(async () => expect(await states()).toEqual([[1, 'pending', 1]]));
  // The endpoint is left alone until then.
  await webhooks.append(caller, [{}, {}]);
  const waiting = [3, 2].map((seq) => [seq, 'pending', 0]);
  await until(async () => expect(await states()).toEqual([...waiting, [1, 'pending', 1]]));
  at.answers(() => 200);
  const deliveryIds = (await deliveries(id, caller)).slice(0, 2).map(({ id: one }) => one);
  expect(await webhooks.call('webhooks.replay', { id, deliveryIds }, caller)).toEqual({ replayed: 2 });
  const sent = [3, 2].map((seq) => [seq, 'delivered', 1]);
  await until(async () => expect((await states()).slice(0, 2)).toEqual(sent));
  await webhooks.append(caller, [{}]);
  await until(() => expect(at.seqs).toContain(4));
  expect(at.seqs.filter((seq) => seq !== 1)).toEqual([2, 3, 4]);
});

test('a replay does not wait for the pause that an endpoint asks for in an answer to what was sent before', async () => {
  const caller = newCaller();
  const isReplayed = Promise.withResolvers<void>();
  const at = await endpoint(() => async (response) => {
    await isReplayed.promise;
    response.writeHead(503, { 'retry-after': '300' }).end();
  });
  const { id } = await webhookTo(at, caller);
  await webhooks.append(caller, [{}]);
  await until(() => expect(at.seqs).toEqual([1]));
  await webhooks.append(caller, [{}]);
  await until(async () => expect((await deliveries(id, caller)).map(({ seq }) => seq)).toEqual([2, 1]));
  const [{ id: second = '' } = {}] = await deliveries(id, caller);
  await webhooks.call('webhooks.replay', { id, deliveryIds: [second] }, caller);
  at.answers(() => 200);
  isReplayed.resolve();
  await until(() => expect(at.seqs).toContain(2));
});

test('a replay of a delivery names no user who was erased since', async () => {
  const caller = newCaller();
  const at = await endpoint();
  const { id } = await webhookTo(at, caller);
  const userId = uuidv7();
  await webhooks.append(caller, [
    { type: 'user.created', subject: { kind: 'user', id: userId }, data: { name: 'Grace', role: 'member' } },
  ]);
  await until(() => expect(at.received).toHaveLength(1));
  await eraseUserFromLog(caller.organizationId, userId, new Set(['Grace']));
  const [{ id: sent = '' } = {}] = await deliveries(id, caller);
  await webhooks.call('webhooks.replay', { id, deliveryIds: [sent] }, caller);
  await until(() => expect(at.received).toHaveLength(2));
  expect(at.received.map(({ event }) => event.data)).toEqual([{ name: 'Grace', role: 'member' }, { role: 'member' }]);
});

test('a deleted webhook is sent nothing more, and nobody else sees or changes one', async () => {
  const caller = newCaller();
  const stranger = newCaller();
  const at = await endpoint(() => 500);
  const { id } = await webhookTo(at, caller);
  await webhooks.append(caller, [{}]);
  await until(() => expect(at.received).toHaveLength(1));
  for (const name of [
    'webhooks.get',
    'webhooks.delete',
    'webhooks.rotate',
    'webhooks.test',
    'webhooks.deliveries',
  ] as const) {
    await expect(webhooks.call(name, { id }, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  expect(await webhooks.call('webhooks.list', {}, stranger)).toEqual([]);
  expect(await webhooks.call('webhooks.delete', { id }, caller)).toEqual({ deleted: true, id });
  await expect(webhooks.call('webhooks.deliveries', { id }, caller)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await webhooks.append(caller, [{}]);
  const other = await endpoint();
  await webhookTo(other, caller);
  await webhooks.append(caller, [{}]);
  await until(() => expect(other.received).toHaveLength(1));
  expect(at.received).toHaveLength(1);
});

test('a webhook ends with its maker; whoever enables it again becomes its maker', async () => {
  const caller = newCaller();
  const other = { ...caller, userId: uuidv7(), keyId: uuidv7() };
  const at = await endpoint();
  const { id } = await webhookTo(at, caller);
  await webhooks.append(caller, [
    {},
    {
      type: 'user.updated',
      subject: { kind: 'user', id: uuidv7() },
      data: { changes: { disabled: { from: false, to: true } } },
    },
    {
      type: 'user.updated',
      subject: { kind: 'user', id: caller.userId },
      data: { changes: { role: { from: 'admin', to: 'member' } }, permissions: ROLE_PERMISSIONS.member },
    },
    {},
  ]);
  await until(async () =>
    expect(await webhooks.call('webhooks.get', { id }, caller)).toMatchObject({
      state: 'disabled',
      disabledReason: 'maker',
      seq: 2,
    }),
  );
  await webhooks.call('webhooks.update', { id, enabled: true }, other);
  await until(() => expect(at.seqs.toSorted()).toEqual([1, 2, 3, 4]));
  expect(await webhooks.call('webhooks.get', { id }, caller)).toMatchObject({ maker: { userId: other.userId } });
});

test('a key that may see less than a webhook can change its URL, and then gets no more than it may see', async () => {
  const owner = newCaller();
  const narrow = { ...owner, keyId: uuidv7(), permissions: ['webhooks:write', 'webhooks:read'] as const };
  const [before, after] = [await endpoint(), await endpoint()];
  const { id } = await webhookTo(before, owner, { types: ['*'] });
  await webhooks.call('webhooks.update', { id, url: after.url }, narrow);
  await webhooks.append(owner, [{}, { type: 'webhook.updated', subject: { kind: 'webhook', id } }]);
  await until(() => expect(after.seqs).toEqual([2]));
  await expect(webhooks.call('webhooks.update', { id, types: ['work_item.*'] }, narrow)).rejects.toMatchObject({
    code: 'PERMISSION_DENIED',
  });
});

test('what was queued before goes to nobody who may not see it: to no new URL, and by no replay', async () => {
  const owner = newCaller();
  const narrow = { ...owner, keyId: uuidv7(), permissions: ['webhooks:write', 'webhooks:read', 'users:read'] as const };
  const [before, after] = [await endpoint(() => 500), await endpoint()];
  const { id } = await webhookTo(before, owner);
  await webhooks.append(owner, [{}, { type: 'user.created', subject: { kind: 'user', id: uuidv7() } }]);
  await until(async () => expect((await deliveries(id, owner)).some(({ attempts }) => attempts > 0)).toBe(true));
  await webhooks.call('webhooks.update', { id, url: after.url }, narrow);
  const deliveryIds = (await deliveries(id, owner)).map((each) => each.id);
  await webhooks.call('webhooks.replay', { id, deliveryIds }, narrow);
  await until(async () => expect((await deliveries(id, owner)).some(({ state }) => state === 'pending')).toBe(false));
  expect(after.seqs).toEqual([2]);
  expect((await deliveries(id, owner)).find(({ seq }) => seq === 1)).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('may not'),
  });
});

test('a webhook that was given to a project sends, and shows those who are limited to it, nothing of another', async () => {
  const owner = newCaller();
  const [projectId, another] = [uuidv7(), uuidv7()];
  const limited = { ...owner, keyId: uuidv7(), projects: [projectId] };
  const [before, after] = [await endpoint(), await endpoint()];
  const { id } = await webhookTo(before, owner);
  await webhooks.append(owner, [{ projectId: another }, { projectId }]);
  await until(() => expect(before.seqs.toSorted()).toEqual([1, 2]));
  await webhooks.call('webhooks.update', { id, projectId }, owner);
  await webhooks.call('webhooks.update', { id, url: after.url }, limited);
  const deliveryIds = (await deliveries(id, owner)).map((each) => each.id);
  expect(deliveryIds).toHaveLength(2);
  expect((await deliveries(id, limited)).map(({ seq }) => seq)).toEqual([2]);
  await webhooks.call('webhooks.replay', { id, deliveryIds }, limited);
  await until(async () => expect((await deliveries(id, owner)).some(({ state }) => state === 'pending')).toBe(false));
  expect(after.seqs).toEqual([2]);
});

test('what is signed is the body, with an id, a time and each secret', async () => {
  const caller = newCaller();
  const at = await endpoint();
  const { id, secret } = await webhookTo(at, caller);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const rotated = await webhooks.call('webhooks.rotate', { id }, caller);
  expect(rotated.secret).not.toBe(secret);
  await webhooks.append(caller, [{}]);
  await until(() => expect(at.received).toHaveLength(1));
  const [received] = at.received;
  expect(received?.headers['webhook-signature']).toMatch(/^v1,[^ ]+ v1,[^ ]+$/);
  expect(received?.headers['webhook-id']).toBe(received?.event.id);
});

test('whatever secret a receiver was given signs until its overlap ends, also after two rotations at once', async () => {
  const caller = newCaller();
  const at = await endpoint();
  const { id, secret } = await webhookTo(at, caller);
  const rotate = async (overlap: object = {}) =>
    (await webhooks.call('webhooks.rotate', { id, ...overlap }, caller)).secret;
  const known = [secret, ...(await Promise.all([rotate(), rotate()]))];
  const signs = async (expected: readonly (string | null)[]) => {
    const count = at.received.length;
    await webhooks.append(caller, [{}]);
    await until(() => expect(at.received).toHaveLength(count + 1));
    const { headers, body } = at.received[count] as (typeof at.received)[number];
    const signatures = expected.map((each) => {
      const sent = { id: headers['webhook-id'] as string, atMs: Number(headers['webhook-timestamp']) * 1_000, body };
      return signatureHeaders(sent, [each as string])['webhook-signature'];
    });
    expect(String(headers['webhook-signature']).split(' ').sort()).toEqual(signatures.sort());
  };
  await signs(known);
  for (let n = 0; n < 3; n++) known.push(await rotate());
  await signs(known.slice(-5));
  await signs([await rotate({ overlapSeconds: 0 })]);
});

test('a new secret signs where those before cannot be read any more', async () => {
  const caller = newCaller();
  const at = await endpoint();
  const { id } = await webhookTo(at, caller);
  await WebhookModel.updateOne(
    { organizationId: caller.organizationId, _id: id },
    { $set: { 'secrets.0.sealed': 'lost.AAAA' } },
  );
  const { secret } = await webhooks.call('webhooks.rotate', { id }, caller);
  await webhooks.append(caller, [{}]);
  await until(() => expect(at.received).toHaveLength(1));
  expect(secret).toBeTruthy();
  expect(at.received[0]?.headers['webhook-signature']).toMatch(/^v1,[^ ]+$/);
});
