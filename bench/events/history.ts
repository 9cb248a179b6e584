import { setTimeout as delay } from 'node:timers/promises';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import type { HistoryRecord } from '../../services/workitems/history/history.model.ts';
import { logMigration } from '../../services/workitems/migrations/log.repository.ts';
import { quantile } from '../support/quantile.ts';
import { startBenchSystem } from '../support/system.ts';
import { newProject } from './project.ts';
import type { Row } from './row.ts';
import { openStream } from './stream-reader.ts';

const PER_ITEM = 5;
const INSERTED_AT_ONCE = 1_000;
const COMMENT_EVERY_MS = 200;
const COMMENTS_BEFORE = 50;
const LOOK_EVERY_MS = 200;

type Documents = mongoose.mongo.Collection<{ _id: string; seq?: number }>;

/**
 * An upgrade from a version without a log. Measures how fast the history of work items enters the log, at the beginning and at the end, and how long a listener
 * waits for new events meanwhile.
 */
export async function history(records: number): Promise<Row[]> {
  const system = await startBenchSystem({ env: { LOG_LEVEL: 'warn' } });
  const client = await mongoose.mongo.MongoClient.connect(system.servers.urls.mongodb, { retryWrites: false });
  try {
    const collectionOf = (service: string, name: string): Documents =>
      client.db(`${system.environment.MONGODB_DATABASE_PREFIX}_${service}`).collection(name);
    const project = await newProject(system);
    const { id: taskId } = await project.newTask('Listened to');
    const sinceMadeMs: number[] = [];
    const reader = await openStream(system.gateways[0] ?? '', system.apiKey, (json) => {
      const { type, at, data } = JSON.parse(json);
      if (type === 'work_item.commented' && data.text === 'Now') sinceMadeMs.push(Date.now() - Date.parse(at));
    });
    const comment = async () => {
      await system.call('POST', `/api/work-items/${taskId}/comments`, { text: 'Now' });
      await delay(COMMENT_EVERY_MS);
    };
    for (let made = 0; made < COMMENTS_BEFORE; made++) await comment();
    const before = sinceMadeMs.splice(0);

    const workItems = system.services.replicas.find(({ service }) => service === 'workitems')?.part;
    await workItems?.kill();
    const { organizationId } = system;
    for (let at = 0; at < records; at += INSERTED_AT_ONCE) {
      await insertPast(collectionOf, { organizationId, projectId: project.id, from: at });
    }
    await collectionOf('workitems', 'migrations').deleteOne({ _id: logMigration.name });
    const placeOf = async () =>
      Number((await collectionOf('events', 'heads').findOne({ _id: organizationId }))?.seq ?? 0);
    const start = await placeOf();
    await workItems?.restart();

    const startedAtMs = Date.now();
    /** When each tenth was in the log. */
    const tenthsAtMs: number[] = [startedAtMs];
    const logged = (async () => {
      while (tenthsAtMs.length <= 10) {
        await delay(LOOK_EVERY_MS);
        const share = ((await placeOf()) - start) / records;
        while (tenthsAtMs.length <= 10 && share >= tenthsAtMs.length / 10) {
          tenthsAtMs.push(Date.now());
          process.stderr.write(`${tenthsAtMs.length - 1} of 10 in the log\n`);
        }
      }
    })();
    while (tenthsAtMs.length <= 10) await comment();
    await logged;
    reader.close();
    const rateOf = (tenth: number) =>
      records / 10 / (((tenthsAtMs[tenth] ?? Number.NaN) - (tenthsAtMs[tenth - 1] ?? Number.NaN)) / 1_000);
    return [
      ['records of the history', records, ''],
      ['all of them in the log after, s', ((tenthsAtMs[10] ?? Number.NaN) - startedAtMs) / 1_000, ''],
      ['records a second, the second tenth', rateOf(2), ''],
      ['records a second, the last tenth', rateOf(10), ''],
      ['event made → event at an open stream, before: p50 ms', quantile(before, 0.5), ''],
      ['event made → event at an open stream, before: p99 ms', quantile(before, 0.99), ''],
      ['the same meanwhile: p50 ms', quantile(sinceMadeMs, 0.5), ''],
      ['the same meanwhile: p99 ms', quantile(sinceMadeMs, 0.99), ''],
    ];
  } finally {
    await client.close();
    await system.stop();
  }
}

/** As a version without a log left it: items, as far as the migration reads them, and what happened to each. */
async function insertPast(
  collectionOf: (service: string, name: string) => Documents,
  { organizationId, projectId, from }: { organizationId: string; projectId: string; from: number },
): Promise<void> {
  const actor = { userId: uuidv7(), keyId: uuidv7() };
  const items = Array.from({ length: INSERTED_AT_ONCE / PER_ITEM }, (_, index) => {
    return { _id: uuidv7(), organizationId, projectId, taskId: `PAST-T-${from / PER_ITEM + index}` };
  });
  const past = items.flatMap(({ _id: workItemId }) =>
    Array.from({ length: PER_ITEM }, (_, index): HistoryRecord => {
      const data = { text: 'What somebody has written about it, in a sentence or two of the usual length.' };
      const what = { revision: index + 1, eventType: 'comment', data, actor } as const;
      return { _id: uuidv7(), organizationId, workItemId, ...what, createdAt: new Date() };
    }),
  );
  await collectionOf('workitems', 'work_items').insertMany(items);
  await collectionOf('workitems', 'work_item_history').insertMany(past);
}
