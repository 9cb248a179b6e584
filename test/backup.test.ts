import { createHash, randomBytes } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { backUp, restore } from '@worktrack/stack/backup';
import { Progress } from '@worktrack/stack/report/progress';
import type { StackFile } from '@worktrack/stack/stack-file';
import { type RunningStack, startStack } from '@worktrack/stack/start';
import { connect } from 'amqplib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { caller } from './support/organization.ts';

const DEAD = 'rpc.workitems.dead';
const DEAD_LETTER = 'unsigned: goes to the dead letters';
const ITEMS = 40;
/** Between two writes of one client while the backup is made, which takes seconds. */
const PAUSE_MS = 50;
const folder = mkdtempSync(join(tmpdir(), 'worktrack-backup-'));
const dataDir = join(folder, 'data');
/** Restored to: another folder, as on another machine. */
const otherDir = join(folder, 'restored-ü');
const file = join(folder, 'elsewhere', 'backup.tar.gz');
const said: string[] = [];
const progress = new Progress({ write: (text) => said.push(text) });
let stack: RunningStack | undefined;

beforeAll(() => {
  for (const name of ['RABBITMQ_URL', 'REDIS_URL', 'MONGODB_URL']) vi.stubEnv(name, '');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(path = dataDir): Promise<StackFile> {
  stack = await startStack({ port: 0, dataDir: path, replicas: {}, detach: false }, progress, '');
  return JSON.parse(readFileSync(join(path, 'stack.json'), 'utf8')) as StackFile;
}
async function stop(): Promise<void> {
  await stack?.stop();
  stack = undefined;
}

/** A message that nobody has looked at yet waits among the dead letters. */
async function deadLetters({ urls }: StackFile, publish: boolean): Promise<string[]> {
  const connection = await connect(urls.rabbitmq);
  const channel = await connection.createConfirmChannel();
  if (publish) {
    channel.publish('', 'rpc.workitems', Buffer.from(DEAD_LETTER), { persistent: true });
    await channel.waitForConfirms();
  }
  await expect.poll(async () => (await channel.checkQueue(DEAD)).messageCount).toBe(1);
  const message = await channel.get(DEAD, { noAck: false });
  if (message) channel.nack(message, false, true);
  await connection.close();
  return message ? [message.content.toString()] : [];
}

/** RabbitMQ keeps in memory what nobody has it confirm, such as dead letters, until their queue has been idle for a second or two. */
function isStored(mnesia: string, queue: string, text: string): boolean {
  const own = globSync('*/msg_stores/vhosts/*/queues/*/.queue_name', { cwd: mnesia }).filter((name) =>
    readFileSync(join(mnesia, name), 'utf8').split('\n').includes(`QUEUE: ${queue}`),
  );
  const files = own.flatMap((name) =>
    globSync('*', { cwd: join(mnesia, dirname(name)) }).map((file) => join(dirname(name), file)),
  );
  return files.some((file) => readFileSync(join(mnesia, file)).includes(text));
}

type Call = ReturnType<typeof caller>;

async function allItems(call: Call, projectId: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let cursor = ''; ; ) {
    const path = `/api/work-items?projectId=${projectId}&limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { data } = await call<{ workItems: { id: string }[]; nextCursor: string | null }>('GET', path);
    for (const { id } of data.workItems) ids.add(id);
    if (data.nextCursor === null) return ids;
    cursor = data.nextCursor;
  }
}

/** The items of whose creation the log tells. */
async function createdInLog(call: Call): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let after = 0; ; ) {
    const path = `/api/events?types=work_item.created&after=${after}&limit=100`;
    const { data } = await call<{ events: { subject: { id: string } }[]; nextSeq: number }>('GET', path);
    for (const { subject } of data.events) ids.add(subject.id);
    if (data.events.length === 0) return ids;
    after = data.nextSeq;
  }
}

describe('the drill: back up, destroy, restore', { timeout: 300_000 }, () => {
  let before: StackFile;
  /** What was acknowledged, as it was answered. */
  const acknowledged = new Map<string, unknown>();
  const content = randomBytes(300_000);
  let downloadPath: string;

  test('everything acknowledged is there again, under the same keys, and so is what was waiting', async () => {
    before = await start();
    const call = caller(before.baseUrl, before.apiKey);
    const { boardId, columns, source } = before;
    const created = await Promise.all(
      Array.from({ length: ITEMS }, (_, number) =>
        call<{ id: string }>(
          'POST',
          '/api/work-items',
          { title: `Item ${number}`, type: 'task', boardId, boardColumnId: columns.Backlog },
          { 'idempotency-key': `drill ${number}` },
        ),
      ),
    );
    for (const { status, data } of created) {
      expect(status).toBe(201);
      acknowledged.set(`/api/work-items/${data.id}`, data);
    }
    const [first] = created;
    const form = new FormData();
    form.append('file', new Blob([content]), 'drill.bin');
    const upload = await fetch(`${before.baseUrl}/api/work-items/${first?.data.id}/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${before.apiKey}` },
      body: form,
    });
    expect(upload.status).toBe(201);
    downloadPath = `/api/work-items/${first?.data.id}/attachments/local?key=drill.bin`;
    const bootstrap = await call<{ token: string }>('GET', `/feedback/widget/bootstrap?publicKey=${source.publicKey}`);
    const { token } = bootstrap.data;
    const submitted = await call<{ id: string }>('POST', '/feedback/ingest', {
      publicKey: source.publicKey,
      token,
      message: 'From before the drill',
    });
    const feedbackPath = `/api/feedback/items/${submitted.data.id}`;
    acknowledged.set(feedbackPath, (await call('GET', feedbackPath)).data);
    // This name belongs to nobody (RFC 2606).
    const webhook = await call<{ id: string }>('POST', '/api/webhooks', {
      url: 'https://hooks.invalid/drill',
      enabled: false,
    });
    const webhookPath = `/api/webhooks/${webhook.data.id}`;
    acknowledged.set(webhookPath, (await call('GET', webhookPath)).data);
    const key = await call<{ key: string }>('POST', '/api/api-keys', { name: 'Another' });
    const dead = await deadLetters(before, true);
    expect(dead).toHaveLength(1);
    await expect.poll(() => isStored(join(dataDir, 'rabbitmq', 'mnesia'), DEAD, DEAD_LETTER)).toBe(true);

    // Made in the middle of work: what was answered before it began is in it, and nothing of it is half.
    const duringBackup: string[] = [];
    let isBackedUp = false;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; !isBackedUp; n++) {
        const item = { title: `Meanwhile ${writer} ${n}`, type: 'task', boardId, boardColumnId: columns.Backlog };
        const { status, data } = await call<{ id: string }>('POST', '/api/work-items', item);
        if (status === 201) duringBackup.push(data.id);
        await delay(PAUSE_MS);
      }
    });
    await expect.poll(() => duringBackup.length).toBeGreaterThan(8);
    const answered = [...duringBackup];
    await backUp(dataDir, file, progress);
    const counted = duringBackup.length;
    await expect.poll(() => duringBackup.length, { message: 'the stack goes on' }).toBeGreaterThan(counted);
    isBackedUp = true;
    await Promise.all(writers);
    await stop();
    const { size } = statSync(file);
    await expect(backUp(dataDir, file, progress)).rejects.toThrow('is there already');
    expect(statSync(file).size).toBe(size);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    rmSync(dataDir, { recursive: true });
    await restore(file, otherDir, progress);
    expect(statSync(otherDir).mode & 0o777).toBe(0o700);

    const after = await start(otherDir);
    for (const kept of ['apiKey', 'organizationId', 'projectId', 'boardId', 'columns', 'source'] as const) {
      expect(after[kept]).toEqual(before[kept]);
    }
    // A key created since the first start: it is valid only with the pepper that it was hashed with.
    const again = caller(after.baseUrl, key.data.key);
    for (const [path, data] of acknowledged) expect((await again('GET', path)).data).toEqual(data);
    const restored = await allItems(again, after.projectId);
    for (const id of answered) expect(restored.has(id), `${id}, which was answered before`).toBe(true);
    expect(restored.size).toBeLessThanOrEqual(ITEMS + duringBackup.length + writers.length);
    // What was on its way to the log is there, too, and the log goes on.
    const one = { title: 'Afterwards', type: 'task', boardId, boardColumnId: columns.Backlog };
    const { data: latest } = await again<{ id: string }>('POST', '/api/work-items', one);
    await expect.poll(() => createdInLog(again)).toEqual(new Set([...restored, latest.id]));
    const download = await fetch(`${after.baseUrl}${downloadPath}`, {
      headers: { authorization: `Bearer ${after.apiKey}` },
    });
    const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(sha256(content));
    // And not that its secret could not be read.
    const tested = await again<{ error: string }>('POST', `${webhookPath}/test`, {});
    expect(tested.data.error).toContain('was not found in DNS');
    expect(await deadLetters(after, false)).toEqual(dead);
    // What was written before is not written again: the record of its key was restored too.
    const repeated = await caller(after.baseUrl, after.apiKey)(
      'POST',
      '/api/work-items',
      { title: 'Item 0', type: 'task', boardId, boardColumnId: columns.Backlog },
      { 'idempotency-key': 'drill 0' },
    );
    expect(repeated).toMatchObject({ status: 201, data: { id: first?.data.id } });
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
  });

  test('nothing is restored over data', async () => {
    await expect(restore(file, otherDir, progress)).rejects.toThrow('A stack is running on');
    const full = join(folder, 'full');
    mkdirSync(full);
    writeFileSync(join(full, 'mine.txt'), 'mine');
    await expect(restore(file, full, progress)).rejects.toThrow('is not empty');
    expect(readFileSync(join(full, 'mine.txt'), 'utf8')).toBe('mine');
  });

  test('a file that is not a backup, or only half of one, leaves nothing behind', async () => {
    const half = join(folder, 'half.tar.gz');
    writeFileSync(half, readFileSync(file).subarray(0, 50_000));
    const target = join(folder, 'target');
    await expect(restore(half, target, progress)).rejects.toThrow('tar ended with code');
    expect(existsSync(join(target, 'secrets.json'))).toBe(false);
    await expect(restore(join(folder, 'none.tar.gz'), target, progress)).rejects.toThrow('There is no file');
    await restore(file, target, progress);
    expect(existsSync(join(target, 'credentials.json'))).toBe(true);
  });
});
