import fc from 'fast-check';
import { type Answer, caller, type TestOrganization } from '../support/organization.ts';
import type { Ledger } from './ledger.ts';

export type ItemType = 'epic' | 'feature' | 'story' | 'task' | 'idea';

/** What is done, and two numbers that choose what it is done to: indexes, modulo how many there are when its turn comes. */
interface Operation {
  readonly kind: Kind;
  readonly n: number;
  readonly m: number;
}

const WEIGHTS = {
  create: 12,
  retitle: 9,
  annotate: 4,
  giveParent: 8,
  move: 20,
  finish: 10,
  update: 4,
  batchMove: 4,
  remove: 3,
  comment: 6,
  recordSession: 4,
  completeReview: 4,
  completeValidation: 3,
  completeAiTask: 6,
  claim: 7,
  renew: 2,
  release: 4,
  list: 3,
  resolve: 3,
  usage: 2,
  depend: 9,
  retype: 2,
  prioritize: 3,
  assign: 3,
  plant: 2,
  batchUpdate: 3,
  ask: 3,
  answer: 2,
  beat: 3,
} as const;
/** Each of these makes every write under way on the board begin again. Many of them, and the others would do hardly anything else. */
const RARE = { addColumn: 1, removeColumn: 1, changeRules: 1, setBudget: 3 } as const;
const AS_RARE = 5;
type Kind = keyof typeof WEIGHTS | keyof typeof RARE;

const AnyOperation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.oneof(
    ...Object.entries(WEIGHTS).map(([kind, weight]) => ({
      weight: AS_RARE * weight,
      arbitrary: fc.constant(kind as Kind),
    })),
    ...Object.entries(RARE).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Kind) })),
  ),
  n: fc.nat(1_000_000),
  m: fc.nat(1_000_000),
});

interface Known {
  readonly id: string;
  readonly type: ItemType;
}

/** What the callers know of each other's work, and choose from. */
interface World {
  readonly organization: TestOrganization;
  readonly ledger: Ledger;
  readonly items: Known[];
  readonly tokens: { readonly itemId: string; readonly token: string }[];
  /** Besides the standard ones, each by its id. */
  readonly extraColumns: string[];
}

type Call = TestOrganization['call'];
export interface Key {
  readonly id: string;
  readonly call: Call;
}

const REFUSALS = [400, 404, 409];
const TREES = 4;

/**
 * Callers with a key each, who take one operation after another from a queue that the seed generates. Which of them gets which, and which coincide,
 * is up to the machine.
 */
export async function runCallers(
  baseUrl: string,
  organization: TestOrganization,
  ledger: Ledger,
  options: { readonly callers: number; readonly operations: number; readonly seed: number },
): Promise<readonly Key[]> {
  const keys = await Promise.all(Array.from({ length: options.callers }, () => newKey(baseUrl, organization)));
  const world: World = { organization, ledger, items: [], tokens: [], extraColumns: [] };
  await plantTrees(keys[0] as Key, world);
  const queue = fc.sample(AnyOperation, { seed: options.seed, numRuns: options.operations });
  await Promise.all(
    keys.map(async (key) => {
      for (let next = queue.pop(); next; next = queue.pop()) await OPERATIONS[next.kind](next, world, key);
    }),
  );
  return keys;
}

export async function newKey(baseUrl: string, { call }: TestOrganization): Promise<Key> {
  const { data } = await call<{ id: string; key: string }>('POST', '/api/api-keys', { name: 'A caller' });
  return { id: data.id, call: caller(baseUrl, data.key) };
}

async function plantTrees(key: Key, world: World): Promise<void> {
  for (let tree = 0; tree < TREES; tree++) {
    const feature = await create('feature', await create('epic', undefined, world, key), world, key);
    for (let story = 0; story < 2; story++) {
      const parent = await create('story', feature, world, key);
      for (let task = 0; task < 3; task++) await create('task', parent, world, key);
    }
  }
}

/** Sends a write or a read, and notes how it went. @returns the answer's data, unless it was refused */
export async function send<T>(
  what: string,
  { ledger }: Pick<World, 'ledger'>,
  { call }: Key,
  method: string,
  path: string,
  body?: unknown,
): Promise<T | undefined> {
  const sentAt = performance.now();
  const answer: Answer<T> = await call<T>(method, path, body);
  ledger.answered(what, answer.status, performance.now() - sentAt, `${method} ${path} ${JSON.stringify(body)}`);
  if (answer.success) return answer.data;
  if (!REFUSALS.includes(answer.status)) ledger.failed(what, answer.status, answer.error);
  return undefined;
}

interface Item {
  readonly id: string;
  readonly taskId: string;
  readonly version: number;
}
interface SessionAnswer {
  readonly sessionId: string;
  readonly totalTokens: number;
}

export const nth = <T>(all: readonly T[], n: number): T => all[n % all.length] as T;
const path = (item: Known, action = '') => `/api/work-items/${item.id}${action}`;
const PARENT_TYPE: Partial<Record<ItemType, ItemType>> = { feature: 'epic', story: 'feature' };

function columnAt({ organization, extraColumns }: World, n: number): string {
  return nth([...Object.values(organization.columns), ...extraColumns], n);
}

function column({ organization }: World, name: string): string {
  return organization.columns[name] as string;
}

function parentFor(type: ItemType, { items }: World, n: number): Known | undefined {
  if (type === 'epic' || type === 'idea') return undefined;
  const fitting = items.filter((item) => type === 'task' || item.type === PARENT_TYPE[type]);
  return fitting.length === 0 ? undefined : nth(fitting, n);
}

async function create(
  type: ItemType,
  parent: Known | undefined,
  world: World,
  key: Key,
  boardColumnId = column(world, 'Backlog'),
): Promise<Known | undefined> {
  const { boardId } = world.organization;
  const body = { title: world.ledger.unique('Item'), type, boardId, boardColumnId, parentId: parent?.id };
  const item = await send<Item>('create', world, key, 'POST', '/api/work-items', body);
  if (!item) return undefined;
  const known = { id: item.id, type };
  world.items.push(known);
  world.ledger.write({ kind: 'created', itemId: item.id, keyId: key.id, taskId: item.taskId, title: body.title });
  return known;
}

async function moveTo(item: Known, boardColumnId: string, m: number, world: World, key: Key): Promise<void> {
  const anchor = nth(world.items, m).id;
  const options = [{}, {}, {}, { position: 'first' }, { position: { after: anchor } }, { isAutoSync: true }];
  // From whoever holds it, half of the time, and now and then past a gate.
  const how = { ...(m % 2 && { takeOver: true }), ...(m % 5 === 0 && { force: true }) };
  const body = { boardColumnId, ...nth(options, m), ...how };
  const answer = await send<{ workItem: Item }>('move', world, key, 'POST', path(item, '/move'), body);
  if (answer) movedBy(key, item, answer.workItem, world);
}

function movedBy(
  { id: keyId }: Key,
  { id: itemId }: Known,
  { version }: Pick<Item, 'version'>,
  { ledger }: World,
): void {
  ledger.write({ kind: 'moved', itemId, keyId, version });
}

async function patch(item: Known, fields: object, world: World, key: Key): Promise<Item | undefined> {
  return send<Item>('update', world, key, 'PATCH', path(item), fields);
}

async function complete(item: Known, action: string, body: object, world: World, key: Key): Promise<void> {
  const report = { model: 'gpt-4o', totalTokens: world.ledger.uniqueTokens() };
  const answer = await send<SessionAnswer>(action, world, key, 'POST', path(item, `/${action}`), {
    ...body,
    ...report,
  });
  if (!answer) return;
  const keyId = key.id;
  world.ledger.write({ kind: 'moved', itemId: item.id, keyId });
  world.ledger.write({ kind: 'session', itemId: item.id, keyId, ...answer });
}

const OPERATIONS: Readonly<Record<Kind, (operation: Operation, world: World, key: Key) => Promise<unknown>>> = {
  create({ n, m }, world, key) {
    const type = nth<ItemType>(['task', 'task', 'task', 'story', 'feature', 'epic', 'idea'], n);
    return create(
      type,
      n % 5 === 0 ? undefined : parentFor(type, world, m),
      world,
      key,
      m % 4 ? undefined : columnAt(world, n),
    );
  },

  async retitle({ n }, world, key) {
    const item = nth(world.items, n);
    const title = world.ledger.unique('Title');
    const answer = await patch(item, { title }, world, key);
    if (answer) world.ledger.write({ kind: 'titled', itemId: item.id, keyId: key.id, title, version: answer.version });
  },

  annotate({ n, m }, world, key) {
    return patch(nth(world.items, n), { metadata: { [nth(['a', 'b'], m)]: m % 3 ? m : null } }, world, key);
  },

  giveParent({ n, m }, world, key) {
    const item = nth(world.items, n);
    return patch(item, { parentId: (m % 6 && parentFor(item.type, world, m)?.id) || null }, world, key);
  },

  move({ n, m }, world, key) {
    return moveTo(nth(world.items, n), columnAt(world, m >> 4), m, world, key);
  },

  /** One child after another goes to Done, so that parents follow. */
  finish({ n }, world, key) {
    return moveTo(nth(world.items, n), column(world, 'Done'), 0, world, key);
  },

  async update({ n, m }, world, key) {
    const item = nth(world.items, n);
    const title = world.ledger.unique('Title');
    const answer = await patch(item, { title, boardColumnId: columnAt(world, m) }, world, key);
    if (!answer) return;
    const { version } = answer;
    world.ledger.write({ kind: 'titled', itemId: item.id, keyId: key.id, title, version });
    world.ledger.write({ kind: 'perhapsMoved', itemId: item.id, keyId: key.id });
  },

  async batchMove({ n, m }, world, key) {
    const workItemIds = [...new Set([n, m, n + m, n ^ m].map((at) => nth(world.items, at).id))];
    const body = { workItemIds, boardColumnId: columnAt(world, m), ...(n % 3 === 0 && { takeOver: true }) };
    const answer = await send<{ items: Item[] }>('batch-move', world, key, 'POST', '/api/work-items/batch-move', body);
    for (const { id, version } of answer?.items ?? []) {
      world.ledger.write({ kind: 'batchMoved', itemId: id, keyId: key.id, version });
    }
  },

  async remove({ n }, world, key) {
    const item = nth(world.items, n);
    const answer = await send('delete', world, key, 'DELETE', path(item));
    if (!answer) return;
    world.ledger.write({ kind: 'deleted', itemId: item.id, keyId: key.id });
    // Mostly nobody comes back to it.
    if (n % 8) world.items.splice(world.items.indexOf(item), 1);
  },

  async comment({ n }, world, key) {
    const item = nth(world.items, n);
    const text = world.ledger.unique('Comment');
    const answer = await send('comment', world, key, 'POST', path(item, '/comments'), { text });
    if (answer) world.ledger.write({ kind: 'commented', itemId: item.id, keyId: key.id, text });
  },

  async recordSession({ n }, world, key) {
    const item = nth(world.items, n);
    const body = { model: 'gpt-4o', totalTokens: world.ledger.uniqueTokens() };
    const answer = await send<SessionAnswer>('session', world, key, 'POST', path(item, '/ai-sessions'), body);
    if (answer) world.ledger.write({ kind: 'session', itemId: item.id, keyId: key.id, ...answer });
  },

  async completeReview({ n, m }, world, key) {
    const item = nth(world.items, n);
    const body = { result: nth(['pass', 'fail'], m), summary: 'Read', ...(n % 3 === 0 && { takeOver: true }) };
    const answer = await send('review', world, key, 'POST', path(item, '/review'), body);
    if (answer) world.ledger.write({ kind: 'moved', itemId: item.id, keyId: key.id });
  },

  completeValidation({ n, m }, world, key) {
    return complete(nth(world.items, n), 'validation', { testResults: { failed: m % 2 } }, world, key);
  },

  completeAiTask({ n, m }, world, key) {
    const claimed = world.tokens.length > 0 && m % 2 ? nth(world.tokens, n) : undefined;
    const item = claimed ? { id: claimed.itemId, type: 'task' as const } : nth(world.items, n);
    const how = claimed ? { leaseToken: claimed.token } : { takeOver: n % 2 === 0 };
    const body = { reviewColumnId: column(world, 'Review'), ...how };
    return complete(item, 'ai-completion', body, world, key);
  },

  async claim({ n, m }, world, key) {
    const of = m % 2 ? { ids: [nth(world.items, n).id] } : { projectId: world.organization.projectId };
    const body = { agent: world.ledger.unique('Agent'), ...of };
    type Claim = { workItem: Item | null; lease: { token: string } | null };
    const answer = await send<Claim>('claim', world, key, 'POST', '/api/work-items/claim', body);
    if (!answer?.workItem || !answer.lease) return;
    const { id, version } = answer.workItem;
    const { token } = answer.lease;
    world.tokens.push({ itemId: id, token });
    // What was sent back may be in In Progress already.
    world.ledger.write({ kind: 'perhapsMoved', itemId: id, keyId: key.id });
    world.ledger.write({ kind: 'claimed', itemId: id, keyId: key.id, token, agent: body.agent, version });
  },

  async renew({ n }, world, key) {
    if (world.tokens.length === 0) return;
    const { token } = nth(world.tokens, n);
    await send('renew', world, key, 'POST', '/api/work-items/claim', { agent: 'Agent', leaseToken: token });
  },

  async release({ n }, world, key) {
    if (world.tokens.length === 0) return;
    const { token, itemId } = nth(world.tokens, n);
    const item: Known = { id: itemId, type: 'task' };
    const body = { leaseToken: token };
    const answer = await send<{ workItem: Item }>('release', world, key, 'POST', path(item, '/release'), body);
    if (answer) movedBy(key, item, answer.workItem, world);
  },

  async addColumn(_, world, key) {
    const name = world.ledger.unique('Column');
    const columns = await columnsOf(world, key);
    if (!columns) return;
    const answer = await changeColumns([...columns.slice(0, 12), { name }], world, key);
    const added = answer?.columns.find((each) => each.name === name);
    if (added) world.extraColumns.push(added.id);
  },

  async removeColumn({ n }, world, key) {
    const columns = await columnsOf(world, key);
    const standard = Object.values(world.organization.columns);
    const extra = columns?.filter(({ id }) => !standard.includes(id)) ?? [];
    if (!columns || extra.length === 0) return;
    const removed = nth(extra, n);
    await changeColumns(
      columns.filter((each) => each !== removed),
      world,
      key,
    );
  },

  depend({ n, m }, world, key) {
    const on = [n + 1, m].slice(0, m % 3).map((at) => nth(world.items, at).id);
    return patch(nth(world.items, n), { dependsOn: [...new Set(on)] }, world, key);
  },

  retype({ n, m }, world, key) {
    return patch(nth(world.items, n), { type: nth(['task', 'story'], m) }, world, key);
  },

  prioritize({ n, m }, world, key) {
    return patch(nth(world.items, n), { priority: nth(['low', 'medium', 'high', 'urgent'], m) }, world, key);
  },

  assign({ n, m }, world, key) {
    return patch(nth(world.items, n), { assignee: m % 2 ? world.organization.userId : null }, world, key);
  },

  /** A story with two tasks of which the second waits for the first, at once. */
  async plant({ n }, world, key) {
    const { ledger, organization } = world;
    const feature = parentFor('story', world, n)?.id;
    const given = [
      { type: 'story', ref: 'a', ...(feature && { parentId: feature }) },
      { type: 'task', ref: 'b', parentId: '#a' },
      { type: 'task', parentId: '#a', dependsOn: ['#b'] },
    ].map((item) => ({ ...item, title: ledger.unique('Item') }));
    const body = { projectId: organization.projectId, items: given };
    const answer = await send<{ items: Item[] }>('plant', world, key, 'POST', '/api/work-items/batch', body);
    answer?.items.forEach(({ id, taskId }, at) => {
      const { type, title } = given[at] as { type: ItemType; title: string };
      world.items.push({ id, type });
      ledger.write({ kind: 'created', itemId: id, keyId: key.id, taskId, title });
    });
  },

  batchUpdate({ n, m }, world, key) {
    const ids = [...new Set([n, m, n + m].map((at) => nth(world.items, at).id))];
    const items = ids.map((id) => ({ id, priority: nth(['low', 'high'], n), addLabels: [`Label ${m % 3}`] }));
    return send('batch-update', world, key, 'POST', '/api/work-items/batch-update', { items });
  },

  async ask({ n }, world, key) {
    if (world.tokens.length === 0) return;
    const { token, itemId } = nth(world.tokens, n);
    const question = world.ledger.unique('Question');
    const body = { leaseToken: token, state: 'awaiting_input', question };
    const answer = await send('ask', world, key, 'POST', path({ id: itemId, type: 'task' }, '/progress'), body);
    if (answer) world.ledger.write({ kind: 'commented', itemId, keyId: key.id, text: question });
  },

  /** Without tokens: those of a lease that ends are recorded without an answer. */
  async beat({ n, m }, world, key) {
    if (world.tokens.length === 0) return;
    const { token, itemId } = nth(world.tokens, n);
    const body = { leaseToken: token, note: world.ledger.unique('Note'), ...(m % 2 && { state: 'working' }) };
    await send('beat', world, key, 'POST', path({ id: itemId, type: 'task' }, '/progress'), body);
  },

  async answer({ n }, world, key) {
    if (world.tokens.length === 0) return;
    const { itemId } = nth(world.tokens, n);
    const text = world.ledger.unique('Answer');
    const answer = await send('answer', world, key, 'POST', path({ id: itemId, type: 'task' }, '/answer'), { text });
    if (answer) world.ledger.write({ kind: 'commented', itemId, keyId: key.id, text });
  },

  /** Far above what anything costs: what counts is what is taken for spent. */
  setBudget({ n, m }, world, key) {
    const budget = m % 4 ? { limitUsd: 1_000_000, period: 'total' } : null;
    return send('budget', world, key, 'PUT', path(nth(world.items, n), '/budget'), budget);
  },

  changeRules({ n, m }, world, key) {
    const rules = { gates: nth(['warn', 'warn', 'enforce'], n), dependencyMet: nth(['review', 'testing', 'done'], m) };
    return send('rules', world, key, 'PATCH', `/api/projects/${world.organization.projectId}`, rules);
  },

  list({ n }, world, key) {
    const query = nth(
      ['', `&boardColumnId=${columnAt(world, n >> 2)}`, `&parentId=${nth(world.items, n).id}`, '&type=task'],
      n,
    );
    return send('list', world, key, 'GET', `/api/work-items?limit=50${query}`);
  },

  resolve({ n, m }, world, key) {
    const ids = [nth(world.items, n).id, nth(world.items, m).id];
    return send('resolve', world, key, 'POST', '/api/work-items/resolve', { ids });
  },

  usage({ n }, world, key) {
    return send('usage', world, key, 'GET', `/api/ai-usage?workItemId=${nth(world.items, n).id}`);
  },
};

interface Column {
  readonly id: string;
  readonly name: string;
}

async function columnsOf(world: World, key: Key): Promise<Column[] | undefined> {
  const { boardId } = world.organization;
  const board = await send<{ columns: Column[] }>('get board', world, key, 'GET', `/api/boards/${boardId}`);
  return board?.columns.map(({ id, name }) => ({ id, name }));
}

function changeColumns(
  columns: readonly { readonly id?: string; readonly name: string }[],
  world: World,
  key: Key,
): Promise<{ readonly columns: readonly Column[] } | undefined> {
  const { boardId } = world.organization;
  return send('change of columns', world, key, 'PATCH', `/api/boards/${boardId}`, { columns });
}
