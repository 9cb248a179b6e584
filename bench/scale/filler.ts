import type { AddressInfo } from 'node:net';
import type { ErrorCode, ErrorExtra } from '@worktrack/contracts/errors';
import { OperationError } from '@worktrack/contracts/errors';
import { connectDatabase } from '@worktrack/runtime/database/connection';
import { OutboxModel } from '@worktrack/runtime/database/outbox/outbox.model';
import { commitTogether } from '@worktrack/runtime/database/writes/group-commit';
import { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import { createLog } from '@worktrack/runtime/process/logging';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { fastify } from 'fastify';
import { requireBoard } from '../../services/workitems/boards/boards.repository.ts';
import { createItem, type NewItem } from '../../services/workitems/editing/create-item.ts';
import type { ItemRecord } from '../../services/workitems/items/items.model.ts';
import { findItem, findItems } from '../../services/workitems/items/items.repository.ts';
import { requireProject } from '../../services/workitems/projects/projects.repository.ts';
import { COMMON_WORD, type FillAnswer, type FillRequest, RARE_EACH, RARE_WORD, TREE } from './fill-request.ts';

/**
 * Fills a project with the service's own code, the rule of creation and the group commit, as a replica of the service would. It leaves out the calls over HTTP
 * and RabbitMQ, the records of effects, which last only a day, and the log. Nobody reads the log here, and it would take most of the time. Started with a
 * channel to its parent, and the service's environment.
 */

/** A tree is one epic, with this many features and stories, and tasks below them. */
const FEATURES = 9;
const STORIES = 90;
/** Trees that grow in parallel: concurrent writes are committed together. */
const TREES_TOGETHER = 2;
const DEADLINE_MS = 120_000;
/** How many of these the caller is told about, evenly spread. */
const TOLD = 2_000;
const ASSIGNEES = 50;
/** Where the items are, in percent. */
const SHARES: readonly (readonly [column: string, percent: number])[] = [
  ['Backlog', 40],
  ['To Do', 10],
  ['In Progress', 2],
  ['Review', 3],
  ['Testing', 3],
  ['To Document', 2],
  ['Done', 40],
];

const log = createLog('filler', 'warn');
await connectDatabase({
  url: process.env.MONGODB_URL ?? '',
  database: `${process.env.MONGODB_DATABASE_PREFIX}_workitems`,
  log,
});

const app = fastify();
app.post('/fill', async ({ body }): Promise<FillAnswer> => fill(body as FillRequest));
await app.listen({ host: '127.0.0.1', port: 0 });
process.on('disconnect', () => process.exit());
process.send?.((app.server.address() as AddressInfo).port);

async function fill({ organizationId, projectId, first, count }: FillRequest): Promise<FillAnswer> {
  const caller = { organizationId, userId: uuidv7(), keyId: uuidv7() };
  const fail = (code: ErrorCode, message: string, extra?: ErrorExtra) => new OperationError(code, message, extra);
  const reading = { caller, fail };
  const project = await requireProject(reading, projectId);
  const board = await requireBoard(reading, project.defaultBoardId);
  const columns = new Map(board.columns.map((column) => [column.name, column]));
  const told: { id: string; taskId: string }[] = [];
  const tellEach = Math.max(1, Math.floor(count / TOLD));

  const make = async (n: number, type: NewItem['type'], parent?: ItemRecord): Promise<string> => {
    const column = columns.get(columnOf(n));
    if (!column) throw new Error(`The board has no column ${columnOf(n)}.`);
    const { id, taskId } = await untilStored(async (isAgain) => {
      const writes = new QuietWrites();
      const above = isAgain && parent ? ((await findItem(reading, parent._id)) ?? undefined) : parent;
      const place = { project, board, column, parent: above };
      const created = await createItem({ ...reading, writes }, fieldsOf(n, type), place);
      const isStored = async () => (await findItem(reading, created.id)) !== null;
      await commitTogether(writes, Date.now() + DEADLINE_MS, isStored);
      return created;
    });
    if (n % tellEach === 0) told.push({ id, taskId });
    return id;
  };
  /** So many, spread over the parents. The first below each comes before the others: it relies on the parent as it was read. */
  const level = async (at: number, type: NewItem['type'], count: number, parentIds: readonly string[]) => {
    const below = async (from: number, to: number) => {
      const parents = await findItems(reading, parentIds);
      const numbers = Array.from({ length: to - from }, (_, i) => from + i);
      return Promise.all(numbers.map((i) => make(at + i, type, parents[i % parents.length])));
    };
    const firsts = Math.min(parentIds.length, count);
    return [...(await below(0, firsts)), ...(await below(firsts, count))];
  };
  const tree = async (at: number): Promise<void> => {
    const epics = await level(at, 'epic', 1, []);
    const features = await level(at + 1, 'feature', FEATURES, epics);
    const stories = await level(at + 1 + FEATURES, 'story', STORIES, features);
    const above = 1 + FEATURES + STORIES;
    await level(at + above, 'task', size - above, stories);
  };

  /** A request for less is one small tree. */
  const size = Math.min(TREE, count);
  let next = first;
  const growTrees = async () => {
    while (next < first + count) {
      const at = next;
      next += size;
      await tree(at);
    }
  };
  await Promise.all(Array.from({ length: TREES_TOGETHER }, growTrees));
  return { items: told };
}

/** What would go to the log is not written. */
class QuietWrites extends WriteSet {
  override insert(...args: Parameters<WriteSet['insert']>): void {
    if (args[0] !== OutboxModel) super.insert(...args);
  }
}

/** Retries if the database is silent for a while, as a caller would. That something may be stored twice does not matter here. */
async function untilStored<T>(work: (isAgain: boolean) => Promise<T>): Promise<T> {
  const untilMs = Date.now() + DEADLINE_MS;
  for (let isAgain = false; ; isAgain = true) {
    try {
      return await work(isAgain);
    } catch (error) {
      if (Date.now() > untilMs) throw error;
      log.warn({ error }, 'An item was not stored; it is tried again');
    }
  }
}

function fieldsOf(n: number, type: NewItem['type']): NewItem {
  const rare = n % RARE_EACH === 0 ? ` ${RARE_WORD}` : '';
  return {
    type,
    title: `Write part ${n} of the ${COMMON_WORD}${rare}`,
    description: 'What it does, what it takes, what it answers, and an example.',
    priority: n % 10 === 0 ? 'high' : 'medium',
    assignee: n % 3 === 0 ? `person ${n % ASSIGNEES}` : undefined,
  };
}

function columnOf(n: number): string {
  // Not one column after the other: neighbours by number are spread across the board.
  let percent = (n * 37) % 100;
  for (const [column, share] of SHARES) {
    if (percent < share) return column;
    percent -= share;
  }
  throw new Error('The shares of the columns have to be 100 in all.');
}
