/**
 * Reading and searching a large inbox over REST, and the cost that a word index would add to storing an item. That index is the one of work items, on the same
 * database. `npm run bench -- inbox [--items 50000] [--indexed 10000]`
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Source } from '@worktrack/contracts/feedback/records';
import { connectDatabase, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { createLog } from '@worktrack/runtime/process/logging';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { searchEntry, searchText } from '@worktrack/runtime/text/words';
import type { ItemDocument } from '../services/feedback/items/items.model.ts';
import { insertItems } from '../services/feedback/items/items.repository.ts';
import { SearchModel } from '../services/workitems/search/search.model.ts';
import { cpuMsOf } from './support/cpu.ts';
import { quantile } from './support/quantile.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const { values } = parseArgs({
  options: { items: { type: 'string', default: '50000' }, indexed: { type: 'string', default: '10000' } },
});
const ITEMS = Number(values.items);
/** Items per message. */
const TOGETHER = 32;
const WORDS_EACH = 25;
const VOCABULARY = 3_000;
/** Some more frequent than others, as in any language. */
const LETTERS = 'eeeeeaaaatttiiinnnooosssrrrhlldcumfpgwybvkxjqz';
const DAY_MS = 86_400_000;
const REPETITIONS = 5;

const system = await startBenchSystem({ env: { LOG_LEVEL: 'warn' } });
const database = `${system.environment.MONGODB_DATABASE_PREFIX}_feedback`;
const mongodbPid = system.servers.mongodb.part?.pid;
try {
  await connectDatabase({ url: system.servers.urls.mongodb, database, log: createLog('bench', 'silent') });
  const source = await system.call<Source>('POST', '/api/feedback/sources', { name: 'Bench', requireCaptcha: false });
  const documents = Array.from({ length: ITEMS }, (_, i) => item(source, i));

  const plain = await storing(documents, (some) => insertItems(some));
  const indexed = await storing(documents.slice(0, Number(values.indexed)), (some) =>
    SearchModel.collection.insertMany(
      some.map(({ _id, organizationId, message, email }) => ({
        _id,
        organizationId,
        ...searchEntry(message, email ?? ''),
      })) as never[],
      { ordered: false, writeConcern: { w: 'majority', journal: true } },
    ),
  );

  const lastWeek = new Date(Date.now() - 7 * DAY_MS).toISOString();
  const cases = [
    ['first page', ''],
    ['search, a word of every item', '&search=common'],
    ['search, a word of 1 in 100', '&search=sometimes'],
    ['search, a word of none', '&search=nowhere'],
    ['the same, of the last week', `&search=nowhere&from=${lastWeek}`],
  ] as const;
  const rows = [];
  for (const [name, query] of cases) rows.push([name, ...(await reading(`/api/feedback/items?limit=50${query}`))]);
  printTable([`inbox of ${ITEMS.toLocaleString('en')} of one year`, 'median ms', 'database CPU ms', 'found'], rows);
  console.log('');
  printTable(
    ['storing, per item', 'µs', 'database CPU µs'],
    [
      ['the item', ...plain],
      ['its index entries by words', ...indexed],
    ],
  );
  await disconnectDatabase();
} finally {
  await system.stop();
}

/** Spread evenly over the last year; some words are rare. */
function item({ id: sourceId }: Source, i: number): ItemDocument {
  const words = Array.from({ length: WORDS_EACH }, () => word(Math.floor(Math.random() ** 2 * VOCABULARY)));
  words[0] = 'common';
  if (i % 100 === 0) words[1] = 'sometimes';
  const message = words.join(' ');
  const email = 'ada@example.com';
  const createdAt = new Date(Date.now() - (365 * DAY_MS * (ITEMS - i)) / ITEMS);
  return {
    _id: uuidv7(),
    organizationId: system.organizationId,
    sourceId,
    status: 'new',
    message,
    category: 'bug',
    email,
    pageUrl: null,
    locale: null,
    origin: null,
    ipHash: '-',
    contentHash: '-',
    searchText: searchText(message, email ?? ''),
    linkedWorkItemIds: [],
    createdAt,
    updatedAt: createdAt,
  };
}

/** A made-up word of 3 to 10 letters, always the same for a given number. */
function word(number: number): string {
  const digest = createHash('sha256').update(String(number)).digest();
  const letters = [...digest.subarray(0, 3 + (number % 8))].map((byte) => LETTERS[byte % LETTERS.length]);
  return letters.join('');
}

/** @returns time and the database's CPU time, each in µs per item */
async function storing(documents: readonly ItemDocument[], store: (some: ItemDocument[]) => Promise<unknown>) {
  const startedAtMs = performance.now();
  const cpuBeforeMs = cpuMsOf(mongodbPid);
  for (let i = 0; i < documents.length; i += TOGETHER) await store(documents.slice(i, i + TOGETHER));
  const perItem = (ms: number) => (ms * 1_000) / documents.length;
  return [perItem(performance.now() - startedAtMs), perItem(cpuMsOf(mongodbPid) - cpuBeforeMs)] as const;
}

async function reading(path: string) {
  const read = () => system.call<{ items: unknown[] }>('GET', path);
  const { items } = await read();
  const cpuBeforeMs = cpuMsOf(mongodbPid);
  const tookMs: number[] = [];
  for (let i = 0; i < REPETITIONS; i++) {
    const startedAtMs = performance.now();
    await read();
    tookMs.push(performance.now() - startedAtMs);
  }
  return [quantile(tookMs, 0.5), (cpuMsOf(mongodbPid) - cpuBeforeMs) / REPETITIONS, String(items.length)] as const;
}
