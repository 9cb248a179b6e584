import fc from 'fast-check';
import type { TestOrganization } from '../support/organization.ts';
import { type Key, newKey, nth, send } from './callers.ts';
import type { Ledger } from './ledger.ts';

/** What is done, and two numbers that choose what it is done to. */
interface Operation {
  readonly kind: Kind;
  readonly n: number;
  readonly m: number;
}

const WEIGHTS = {
  ...{ create: 20, plant: 3, move: 10, batchMove: 3, label: 5, adopt: 4, depend: 4, comment: 6, watch: 2 },
  ...{
    claim: 8,
    complete: 5,
    release: 2,
    remove: 8,
    list: 3,
    walk: 2,
    open: 3,
    cards: 3,
    get: 2,
    review: 2,
  },
  ...{ addProject: 2, renameProject: 1, deleteProject: 2, addBoard: 4, renameBoard: 2, makeDefault: 1, deleteBoard: 3 },
  ...{ clear: 3, addColumn: 3, renameColumn: 2, removeColumn: 3, addLabel: 3, renameLabel: 1, deleteLabel: 2 },
  ...{ addView: 2, deleteView: 1 },
} as const;
type Kind = keyof typeof WEIGHTS;

const AnyOperation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.oneof(
    ...Object.entries(WEIGHTS).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Kind) })),
  ),
  n: fc.nat(1_000_000),
  m: fc.nat(1_000_000),
});

type Of = 'project' | 'board' | 'label' | 'view' | 'item';
/** By its id: what it is in, and whether somebody was told that it is deleted. */
export interface Known {
  readonly id: string;
  readonly of: Of;
  readonly name: string;
  /** The project, or the board of an item. */
  readonly within: string;
  /** Perhaps: its deletion was sent. */
  isLeaving: boolean;
  isDeleted: boolean;
}

/** What was acknowledged about a subject of the log. */
export interface Told {
  readonly subject: string;
  readonly type: string;
}

export class World {
  readonly known: Known[] = [];
  readonly told: Told[] = [];
  readonly tokens: { readonly itemId: string; readonly token: string }[] = [];
  readonly organization: TestOrganization;
  readonly ledger: Ledger;

  constructor(organization: TestOrganization, ledger: Ledger) {
    this.organization = organization;
    this.ledger = ledger;
    const { projectId, boardId } = organization;
    this.add('project', projectId, 'Work', projectId);
    this.add('board', boardId, 'Work', projectId);
    this.told.push({ subject: projectId, type: 'project.created' }, { subject: boardId, type: 'board.created' });
  }

  add(of: Of, id: string, name: string, within: string): void {
    this.known.push({ of, id, name, within, isLeaving: false, isDeleted: false });
  }

  /** Sometimes one that is deleted. */
  any(of: Of, n: number): Known | undefined {
    const all = this.known.filter((each) => each.of === of);
    const there = all.filter(({ isDeleted }) => !isDeleted);
    return n % 20 === 0 || there.length === 0 ? all[n % all.length] : nth(there, n);
  }

  there(of: Of): Known[] {
    return this.known.filter((each) => each.of === of && !each.isDeleted);
  }
}

export async function runInPlaces(
  baseUrl: string,
  world: World,
  options: { readonly callers: number; readonly operations: number; readonly seed: number },
): Promise<readonly Key[]> {
  const keys = await Promise.all(Array.from({ length: options.callers }, () => newKey(baseUrl, world.organization)));
  const queue = fc.sample(AnyOperation, { seed: options.seed, numRuns: options.operations });
  await Promise.all(
    keys.map(async (key) => {
      for (let next = queue.pop(); next; next = queue.pop()) await OPERATIONS[next.kind](next, world, key);
    }),
  );
  return keys;
}

interface Column {
  readonly id: string;
  readonly name: string;
}
interface Board {
  readonly id: string;
  readonly projectId: string;
  readonly columns: readonly Column[];
}
interface Item {
  readonly id: string;
  readonly taskId: string;
}
export interface Listed extends Item {
  readonly boardId: string;
}
export interface Page {
  readonly workItems: readonly Listed[];
  readonly nextCursor: string | null;
  readonly pagination: { readonly total: number };
}

const TYPES = ['task', 'task', 'task', 'story', 'epic', 'idea'] as const;
const at = ({ id }: Pick<Known, 'id'>, action = '') => `/api/work-items/${id}${action}`;

async function boardAt(board: Known | undefined, world: World, key: Key): Promise<Board | undefined> {
  return board && send<Board>('get board', world, key, 'GET', `/api/boards/${board.id}`);
}

async function told<T>(
  what: string,
  [subject, type]: readonly [string, string],
  world: World,
  key: Key,
  method: string,
  path: string,
  body?: unknown,
): Promise<T | undefined> {
  const answer = await send<T>(what, world, key, method, path, body);
  if (answer) world.told.push({ subject, type });
  return answer;
}

async function remove(one: Known | undefined, type: string, path: string, world: World, key: Key): Promise<boolean> {
  if (!one) return false;
  one.isLeaving = true;
  const subject = one.of === 'label' ? one.within : one.id;
  const answer = await told(`delete ${one.of}`, [subject, type], world, key, 'DELETE', path);
  if (answer) {
    if (one.isDeleted) world.ledger.failed(`delete ${one.of}`, 200, `${one.id} a second time`);
    one.isDeleted = true;
  }
  return answer !== undefined;
}

const removeItem = (item: Known | undefined, world: World, key: Key) =>
  remove(item, 'work_item.deleted', item ? at(item) : '', world, key);

async function changeColumns(
  n: number,
  change: (columns: readonly Column[]) => readonly Partial<Column>[],
  world: World,
  key: Key,
): Promise<void> {
  const board = await boardAt(world.any('board', n), world, key);
  if (!board) return;
  const before = board.columns.map(({ id, name }) => ({ id, name }));
  const columns = change(before);
  if (columns === before) return;
  await told('columns', [board.id, 'board.updated'], world, key, 'PATCH', `/api/boards/${board.id}`, { columns });
}

type Do = (operation: Operation, world: World, key: Key) => Promise<unknown>;
const OPERATIONS: Readonly<Record<Kind, Do>> = {
  async create({ n, m }, world, key) {
    const board = await boardAt(world.any('board', n), world, key);
    if (!board) return;
    const title = world.ledger.unique('Item');
    const parent = m % 3 ? undefined : world.any('item', m);
    const label = m % 4 ? undefined : world.any('label', m);
    const body = {
      ...{ title, type: nth(TYPES, n), boardId: board.id, boardColumnId: nth(board.columns, m >> 3).id },
      ...(parent && { parentId: parent.id }),
      ...(label && { labels: [label.id] }),
    };
    const item = await send<Item>('create', world, key, 'POST', '/api/work-items', body);
    if (item) world.add('item', item.id, title, board.id);
  },

  async plant({ n }, world, key) {
    const board = world.any('board', n);
    if (!board) return;
    const titles = [1, 2, 3].map(() => world.ledger.unique('Item'));
    const [a, b, c] = titles;
    const items = [
      { type: 'story', ref: 'a', title: a },
      { type: 'task', ref: 'b', parentId: '#a', title: b },
      { type: 'task', parentId: '#a', dependsOn: ['#b'], title: c },
    ];
    const body = { boardId: board.id, items };
    const answer = await send<{ items: Item[] }>('plant', world, key, 'POST', '/api/work-items/batch', body);
    answer?.items.forEach(({ id }, index) => {
      world.add('item', id, titles[index] as string, board.id);
    });
  },

  async move({ n, m }, world, key) {
    const item = world.any('item', n);
    const board = item && world.known.find(({ id }) => id === item.within);
    const columns = (await boardAt(m % 9 ? board : world.any('board', m), world, key))?.columns;
    if (!item || !columns) return;
    const body = { boardColumnId: nth(columns, m >> 2).id, ...(m % 2 && { takeOver: true }) };
    await send('move', world, key, 'POST', at(item, '/move'), body);
  },

  async batchMove({ n, m }, world, key) {
    const workItemIds = [...new Set([n, m, n + m, n ^ m].flatMap((of) => world.any('item', of)?.id ?? []))];
    if (workItemIds.length === 0) return;
    const body = { workItemIds, boardColumnId: nth(['Backlog', 'In Progress', 'Review', 'Done'], m) };
    await send('batch-move', world, key, 'POST', '/api/work-items/batch-move', body);
  },

  async label({ n, m }, world, key) {
    const [item, label] = [world.any('item', n), world.any('label', m)];
    if (item && label) await send('label', world, key, 'PATCH', at(item), { addLabels: [label.id] });
  },

  async adopt({ n, m }, world, key) {
    const [item, parent] = [world.any('item', n), world.any('item', m)];
    if (item) await send('adopt', world, key, 'PATCH', at(item), { parentId: m % 5 ? parent?.id : null });
  },

  async depend({ n, m }, world, key) {
    const [item, on] = [world.any('item', n), world.any('item', m)];
    if (item && on) await send('depend', world, key, 'PATCH', at(item), { dependsOn: [on.id] });
  },

  async comment({ n }, world, key) {
    const item = world.any('item', n);
    const text = world.ledger.unique('Comment');
    if (!item) return;
    await told('comment', [item.id, 'work_item.commented'], world, key, 'POST', at(item, '/comments'), { text });
  },

  async watch({ n }, world, key) {
    const item = world.any('item', n);
    if (item) await send('watch', world, key, 'PUT', at(item, '/watch'), {});
  },

  async claim({ n, m }, world, key) {
    const [item, project] = [world.any('item', n), world.any('project', n)];
    const of = m % 2 && item ? { ids: [item.id] } : { projectId: project?.id };
    const body = { agent: world.ledger.unique('Agent'), ...of };
    type Claim = { workItem: Item | null; lease: { token: string } | null };
    const answer = await send<Claim>('claim', world, key, 'POST', '/api/work-items/claim', body);
    if (answer?.workItem && answer.lease) {
      world.tokens.push({ itemId: answer.workItem.id, token: answer.lease.token });
    }
  },

  async complete({ n, m }, world, key) {
    const { tokens } = world;
    const claimed = tokens.length > 0 && m % 2 ? nth(tokens, n) : undefined;
    const id = claimed?.itemId ?? world.any('item', n)?.id;
    const board = await boardAt(
      world.known.find((each) => each.id === id && each.of === 'item'),
      world,
      key,
    );
    if (!id) return;
    const reviewColumnId = board ? nth(board.columns, m).id : 'Review';
    const usage = { model: 'gpt-4o', totalTokens: world.ledger.uniqueTokens() };
    const body = { reviewColumnId, leaseToken: claimed?.token, ...usage };
    await told('complete', [id, 'work_item.ai_session'], world, key, 'POST', at({ id }, '/ai-completion'), body);
  },

  async release({ n }, world, key) {
    if (world.tokens.length === 0) return;
    const { token, itemId } = nth(world.tokens, n);
    await send('release', world, key, 'POST', at({ id: itemId }, '/release'), { leaseToken: token });
  },

  remove: ({ n }, world, key) => removeItem(world.any('item', n), world, key),

  async list({ n, m }, world, key) {
    const board = world.any('board', n);
    const query = nth(['', `&projectId=${board?.within}`, `&boardId=${board?.id}`, '&search=Item'], m);
    await send('list', world, key, 'GET', `/api/work-items?limit=100${query}`);
  },

  /** Whoever is there all the time is seen, and nobody twice. */
  async walk({ m }, world, key) {
    const sort = nth(['', '&sort=createdAt', '&sort=-createdAt'], m);
    const before = world.there('item').filter(({ isLeaving }) => !isLeaving);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = `?limit=20${sort}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const page: Page | undefined = await send<Page>('walk', world, key, 'GET', `/api/work-items${query}`);
      if (!page) return;
      seen.push(...page.workItems.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    const once = new Set(seen);
    if (once.size < seen.length) world.ledger.failed('walk', 200, `${seen.length - once.size} twice with ${sort}`);
    const missed = before.filter(({ id, isLeaving }) => !isLeaving && !once.has(id));
    if (missed.length > 0) world.ledger.failed('walk', 200, `missed ${missed.map(({ id }) => id)} with ${sort}`);
  },

  async open({ n, m }, world, key) {
    const board = world.any('board', n);
    const query = nth(['', `?projectId=${board?.within}`, `?projectId=${board?.within}&boardId=${board?.id}`], m);
    const answer = await send('open', world, key, 'GET', `/api/board-view${query}`);
    if (!answer && query === '') world.ledger.failed('open', 404, 'without a project');
  },

  async cards({ n, m }, world, key) {
    const board = world.any('board', n);
    if (!board) return;
    const ways = [
      `boards/${board.id}/cards`,
      `projects/${board.within}/cards`,
      `projects/${board.within}/cards/groups`,
    ];
    const query = m % 3 === 2 ? `?groupBy=${nth(['column', 'epic', 'label'], m)}` : '';
    await send('cards', world, key, 'GET', `/api/${nth(ways, m)}${query}`);
  },

  async get({ n }, world, key) {
    const item = world.any('item', n);
    const answer = item && (await send('get', world, key, 'GET', at(item)));
    if (item && !item.isLeaving && !answer) world.ledger.failed('get', 404, item.id);
  },

  async review({ n }, world, key) {
    const item = world.any('item', n);
    if (item) await send('review context', world, key, 'GET', at(item, '/review-context'));
  },

  async addProject(_, world, key) {
    if (world.there('project').length > 4) return;
    const name = world.ledger.unique('Project');
    type Project = { id: string; defaultBoardId: string };
    const project = await send<Project>('add project', world, key, 'POST', '/api/projects', { name });
    if (!project) return;
    world.told.push({ subject: project.id, type: 'project.created' });
    world.told.push({ subject: project.defaultBoardId, type: 'board.created' });
    world.add('project', project.id, name, project.id);
    world.add('board', project.defaultBoardId, name, project.id);
  },

  async renameProject({ n, m }, world, key) {
    const id = world.any('project', n)?.id as string;
    const body = { name: world.ledger.unique('Renamed'), ...(m % 3 === 0 && { key: nth(['KA', 'KB', 'KC'], m) }) };
    await told('rename project', [id, 'project.updated'], world, key, 'PATCH', `/api/projects/${id}`, body);
  },

  async deleteProject({ n }, world, key) {
    await removeProject(world.any('project', n), world, key);
  },

  async addBoard({ n, m }, world, key) {
    const within = world.any('project', n)?.id as string;
    if (world.there('board').filter((each) => each.within === within).length > 4) return;
    const name = world.ledger.unique('Board');
    const own = ['Backlog', 'Doing', 'Reading', 'Done'].map((column) => ({ name: column }));
    const body = { name, ...(m % 2 && { columns: own.map((each, index) => ({ ...each, role: ROLES[index] })) }) };
    const board = await send<Board>('add board', world, key, 'POST', `/api/projects/${within}/boards`, body);
    if (!board) return;
    world.told.push({ subject: board.id, type: 'board.created' });
    world.add('board', board.id, name, within);
  },

  async renameBoard({ n }, world, key) {
    const id = world.any('board', n)?.id as string;
    const body = { name: world.ledger.unique('Renamed') };
    await told('rename board', [id, 'board.updated'], world, key, 'PATCH', `/api/boards/${id}`, body);
  },

  async makeDefault({ n }, world, key) {
    const board = world.any('board', n) as Known;
    // With a name, so that something changes in any case.
    const body = { defaultBoardId: board.id, name: world.ledger.unique('Renamed') };
    const path = `/api/projects/${board.within}`;
    await told('make default', [board.within, 'project.updated'], world, key, 'PATCH', path, body);
  },

  async deleteBoard({ n }, world, key) {
    const board = world.any('board', n);
    await remove(board, 'board.deleted', `/api/boards/${board?.id}`, world, key);
  },

  /** All that is on a board, as far as is known, and then the board, or its project if that has no other. */
  async clear({ n }, world, key) {
    const board = world.any('board', n);
    if (!board) return;
    const onIt = world.there('item').filter(({ within }) => within === board.id);
    if (onIt.length > 25) return;
    await Promise.all(onIt.map((item) => removeItem(item, world, key)));
    if (await remove(board, 'board.deleted', `/api/boards/${board.id}`, world, key)) return;
    await removeProject(
      world.known.find(({ id }) => id === board.within),
      world,
      key,
    );
  },

  addColumn: ({ n }, world, key) =>
    changeColumns(n, (columns) => [...columns.slice(0, 10), { name: world.ledger.unique('Column') }], world, key),

  renameColumn: ({ n, m }, world, key) =>
    changeColumns(
      n,
      (columns) => {
        const one = nth(columns, m);
        return columns.map((each) => (each === one ? { ...each, name: world.ledger.unique('Column') } : each));
      },
      world,
      key,
    ),

  removeColumn: ({ n, m }, world, key) =>
    changeColumns(
      n,
      (columns) => (columns.length < 4 ? columns : columns.filter((each) => each !== nth(columns, m))),
      world,
      key,
    ),

  async addLabel({ n }, world, key) {
    const within = world.any('project', n)?.id as string;
    const body = { name: world.ledger.unique('Label'), colour: '#1f6feb' };
    const path = `/api/projects/${within}/labels`;
    const label = await told<Item>('add label', [within, 'project.updated'], world, key, 'POST', path, body);
    if (label) world.add('label', label.id, body.name, within);
  },

  async renameLabel({ n }, world, key) {
    const label = world.any('label', n);
    if (!label) return;
    const path = `/api/projects/${label.within}/labels/${label.id}`;
    const body = { name: world.ledger.unique('Label') };
    await told('rename label', [label.within, 'project.updated'], world, key, 'PATCH', path, body);
  },

  async deleteLabel({ n }, world, key) {
    const label = world.any('label', n);
    await remove(label, 'project.updated', `/api/projects/${label?.within}/labels/${label?.id}`, world, key);
  },

  async addView({ n }, world, key) {
    const within = world.any('project', n)?.id as string;
    const body = { name: world.ledger.unique('View'), projectId: within, shared: true };
    const view = await send<Item>('add view', world, key, 'POST', '/api/views', body);
    if (!view) return;
    world.told.push({ subject: view.id, type: 'view.created' });
    world.add('view', view.id, body.name, within);
  },

  async deleteView({ n }, world, key) {
    const view = world.any('view', n);
    await remove(view, 'view.deleted', `/api/views/${view?.id}`, world, key);
  },
};

const ROLES = ['backlog', 'in_progress', 'review', 'done'];

/** All but one, and with all of its boards, labels and views. Whose own deletion is under way, is settled in the end. */
async function removeProject(project: Known | undefined, world: World, key: Key): Promise<void> {
  const staying = world.there('project').filter(({ isLeaving }) => !isLeaving);
  if (!project || (staying.length === 1 && staying.includes(project))) return;
  const isDeleted = await remove(project, 'project.deleted', `/api/projects/${project.id}`, world, key);
  project.isLeaving = isDeleted;
  if (!isDeleted) return;
  for (const each of world.known) {
    if (each.within !== project.id || each.isLeaving || each === project) continue;
    each.isLeaving = true;
    each.isDeleted = true;
    if (each.of === 'board') world.told.push({ subject: each.id, type: 'board.deleted' });
  }
}
