import { hash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { supervise } from '@worktrack/stack/processes/supervise';
import { Progress } from '@worktrack/stack/report/progress';
import { findMongod, mongodKind, secantusKind } from '@worktrack/stack/servers/mongodb';
import { findSecantus } from '@worktrack/stack/servers/secantus';
import { type OwnServer, startServer } from '@worktrack/stack/servers/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newLease } from '../support/servers.ts';
import type { Fault } from './faults.ts';
import { cannotMount, SmallDisk } from './small-disk.ts';
import { Trial } from './trial.ts';

/** What the database uses for its journal, plus room for what the load writes before the disk is filled. */
const DISK_MIB = 512;
const FULL_MS = 5_000;
const UPLOAD_BYTES = 8 * 1024 * 1024;
const MAX_UPLOADS = 64;
const reason = process.env.MONGODB_URL ? 'MONGODB_URL names a database of others' : cannotMount();

interface Refusal {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | null;
}

let disk: SmallDisk;
let database: OwnServer;
let endSupervision: () => void;
let trial: Trial;
let itemWithFiles: string;
let refusal: Refusal | undefined;
/** SHA-256 by name, for the files whose upload was acknowledged. */
const stored = new Map<string, string>();

async function startDatabase(folder: string): Promise<OwnServer> {
  const mongod = findMongod();
  const program = mongod ?? findSecantus();
  if (!program) throw new Error('The database of this run is not found.');
  const dataDir = join(folder, 'database');
  disk = await SmallDisk.mount(mongod ? dataDir : join(dataDir, 'storage'), DISK_MIB);
  const kindOf = mongod ? mongodKind : secantusKind;
  return await startServer(
    kindOf(disk.program(program), dataDir, join(folder, 'logs', 'database.log'), 'a-password-of-this-test'),
  );
}

/** Until one is refused, because a database has reserved room in advance for what it writes next. */
async function uploadUntilRefused(): Promise<Refusal> {
  const { boardId, columns, call } = trial.organization;
  const { data: item } = await call<{ id: string }>('POST', '/api/work-items', {
    title: 'Has files',
    type: 'task',
    boardId,
    boardColumnId: columns.Backlog,
  });
  itemWithFiles = item.id;
  for (let number = 1; number <= MAX_UPLOADS; number++) {
    const bytes = randomBytes(UPLOAD_BYTES);
    const form = new FormData();
    form.append('file', new Blob([bytes]), `${number}.bin`);
    const response = await fetch(`${trial.system.baseUrl}/api/work-items/${item.id}/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${trial.organization.apiKey}` },
      body: form,
    });
    const { error } = (await response.json()) as { error?: { code: string } };
    if (!response.ok)
      return { status: response.status, code: error?.code, retryAfter: response.headers.get('retry-after') };
    stored.set(`${number}.bin`, hash('sha256', bytes));
  }
  throw new Error(`${MAX_UPLOADS} uploads of ${UPLOAD_BYTES} bytes found room on a full disk.`);
}

const fullDisk: Fault = {
  name: `the database: its disk full for ${FULL_MS / 1000} s`,
  async run() {
    disk.fill();
    refusal = await uploadUntilRefused();
    await delay(FULL_MS);
    disk.free();
    // A database that could not write has ended, and returns with the next attempt to start it.
    await trial.acknowledgedSince(Date.now(), 1);
  },
};

describe.skipIf(reason)(`a disk that is full${reason ? ` (not here: ${reason})` : ''}`, () => {
  beforeAll(async () => {
    const lease = await newLease();
    database = await startDatabase(lease.folder);
    // A storage engine that could not write may exit; `npm start` restarts it as this does.
    endSupervision = supervise(database.part, new Progress(process.stderr), () => {});
    trial = await Trial.start({
      replicas: { gateway: 2, workitems: 2 },
      urls: { mongodb: database.url },
    });
  });
  afterAll(async () => {
    endSupervision?.();
    await trial?.system.stop();
    await database?.part.kill();
    await disk?.unmount();
  });

  test('refuses writes with 503 or 504 while it is full, loses nothing acknowledged, and recovers once there is room', async () => {
    await trial.endure(fullDisk);
    console.log(`${stored.size} uploads found room; the next was refused:`, refusal);
    expect([503, 504]).toContain(refusal?.status);
    const attachments = await trial.organization.call<{ fileName: string; sha256: string }[]>(
      'GET',
      `/api/work-items/${itemWithFiles}/attachments`,
    );
    expect(attachments.error).toBeUndefined();
    expect(new Map(attachments.data.map(({ fileName, sha256 }) => [fileName, sha256]))).toEqual(stored);
    await trial.end();
  }, 300_000);
});
