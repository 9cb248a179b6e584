import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { wholeOutput } from '../security/output.ts';
import type { TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';
import type { Key } from './callers.ts';
import { Ledger } from './ledger.ts';
import { type Known, type Listed, type Page, runInPlaces, World } from './places.ts';

/** Options as of `concurrent.test.ts`. */
const OPERATIONS = Number(process.env.MODEL_OPERATIONS ?? 300);
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
const CALLERS = 8;
const MS_PER_OPERATION = 500;

type Call = TestOrganization['call'];
interface Item extends Listed {
  readonly projectId: string;
  readonly boardColumnId: string;
  readonly parentId: string | null;
  readonly labels: readonly { readonly id: string }[];
  readonly columnName: string;
  readonly lease: object | null;
}
interface Project {
  readonly id: string;
  readonly defaultBoardId: string;
}
interface Board {
  readonly id: string;
  readonly columns: readonly { readonly id: string; readonly name: string; readonly role: string | null }[];
}
interface Logged {
  readonly seq: number;
  readonly type: string;
  readonly subject: { readonly id: string };
}

let system: Awaited<ReturnType<typeof startSystem>>;
let call: Call;
let world: World;
let keys: readonly Key[];
const items = new Map<string, Item>();
const boards = new Map<string, Board & { readonly projectId: string }>();
let projects: readonly Project[];

async function read<T>(path: string): Promise<T> {
  const answer = await call<T>('GET', path);
  if (!answer.success) throw new Error(`GET ${path}: ${answer.status} ${answer.error.message}`);
  return answer.data;
}

async function allItems(query: string): Promise<{ readonly found: Item[]; readonly total: number }> {
  const found: Item[] = [];
  let total = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/api/work-items?limit=100${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page: Page = await read<Page>(path);
    if (cursor === '') total = page.pagination.total;
    found.push(...(page.workItems as Item[]));
    cursor = page.nextCursor;
  }
  return { found, total };
}

/** What an answer came late for: the project's deletion was told before. */
function settle(): void {
  for (const each of world.known) {
    const around = world.known.find(({ id }) => id === each.within);
    const project = each.of === 'item' ? world.known.find(({ id }) => id === around?.within) : around;
    if (each.isDeleted || !project?.isDeleted) continue;
    each.isDeleted = true;
    if (each.of === 'board') world.told.push({ subject: each.id, type: 'board.deleted' });
    if (each.of === 'item') world.ledger.failed('create', 201, `${each.id} in a deleted project`);
  }
}

const ids = (of: Known['of']) =>
  world
    .there(of)
    .map(({ id }) => id)
    .sort();

beforeAll(
  async () => {
    system = await startSystem({ replicas: { workitems: 2 } });
    const organization = await system.newOrganization();
    ({ call } = organization);
    world = new World(organization, new Ledger());
    console.log(`MODEL_SEED=${SEED}, ${OPERATIONS} operations by ${CALLERS} callers`);
    keys = await runInPlaces(system.baseUrl, world, { callers: CALLERS, operations: OPERATIONS, seed: SEED });
    settle();
    const outcomes = [...world.ledger.answers].map(([outcome, count]) => `${outcome} × ${count}`).toSorted();
    const { durationMs, what } = world.ledger.slowest;
    console.log(`${outcomes.join(', ')}\nThe slowest answer took ${Math.round(durationMs)} ms: ${what}`);
    if (world.ledger.failures.length > 0) {
      const lines = [...(await wholeOutput(system)).values()].flatMap((text) => text.split('\n'));
      console.log(lines.filter((line) => line.startsWith('{"level":"error"')).join('\n'));
    }
    ({ projects } = await read<{ projects: Project[] }>('/api/projects?limit=100'));
    for (const { id: projectId } of projects) {
      for (const board of await read<Board[]>(`/api/projects/${projectId}/boards`)) {
        boards.set(board.id, { ...board, projectId });
      }
    }
    for (const item of (await allItems('')).found) items.set(item.id, item);
  },
  OPERATIONS * MS_PER_OPERATION + 180_000,
);
afterAll(() => system?.stop());

describe('places that come and go while others work in them', () => {
  test('no call fails', () => expect(world.ledger.failures).toEqual([]));

  test('what was created is there or was deleted, and nothing else is there', async () => {
    expect(projects.map(({ id }) => id).sort()).toEqual(ids('project'));
    expect([...boards.keys()].sort()).toEqual(ids('board'));
    expect([...items.keys()].sort()).toEqual(ids('item'));
    const labels = await Promise.all(projects.map(({ id }) => read<{ id: string }[]>(`/api/projects/${id}/labels`)));
    expect(labels.flatMap((some) => some.map(({ id }) => id)).sort()).toEqual(ids('label'));
    const { views } = await read<{ views: { id: string }[] }>('/api/views?limit=100');
    expect(views.map(({ id }) => id).sort()).toEqual(ids('view'));
    const gone = world.known.filter(({ isDeleted, of }) => isDeleted && ['project', 'board', 'item'].includes(of));
    const paths = { project: 'projects', board: 'boards', item: 'work-items' } as Record<string, string>;
    const found = await Promise.all(gone.map(({ id, of }) => call('GET', `/api/${paths[of]}/${id}`)));
    expect(found.filter(({ status }) => status !== 404)).toEqual([]);
  });

  test('nothing points to what is deleted', () => {
    const labels = new Set(ids('label'));
    const faults = [...items.values()].flatMap((item) => {
      const board = boards.get(item.boardId);
      const column = board?.columns.find(({ id }) => id === item.boardColumnId);
      const parent = item.parentId === null ? item : items.get(item.parentId);
      const isRight =
        board?.projectId === item.projectId &&
        column?.name === item.columnName &&
        parent?.projectId === item.projectId &&
        item.labels.every(({ id }) => labels.has(id)) &&
        (!item.lease || column?.role === 'in_progress');
      return isRight ? [] : [item];
    });
    expect(faults).toEqual([]);
    expect(projects.filter(({ id, defaultBoardId }) => boards.get(defaultBoardId)?.projectId !== id)).toEqual([]);
  });

  test('what is counted is there', async () => {
    const all = [...items.values()];
    expect((await allItems('')).total).toBe(all.length);
    const wanted = [
      ...projects.map(({ id }) => ['projectId', id] as const),
      ...[...boards.keys()].map((id) => ['boardId', id] as const),
      ...[...boards.values()].flatMap(({ columns }) => columns.map(({ id }) => ['boardColumnId', id] as const)),
      ...[...new Set(all.flatMap(({ parentId }) => parentId ?? []))].map((id) => ['parentId', id] as const),
    ];
    for (const [field, id] of wanted) {
      const { found, total } = await allItems(`&${field}=${id}`);
      const expected = all.filter((item) => item[field] === id).length;
      expect([field, id, found.length, total]).toEqual([field, id, expected, expected]);
    }
    for (const { id, projectId } of boards.values()) {
      type Opened = { columns: { boardColumnId: string; pagination: { total: number } }[] };
      const { columns } = await read<Opened>(`/api/board-view?projectId=${projectId}&boardId=${id}`);
      const counts = columns.map(({ boardColumnId, pagination }) => [boardColumnId, pagination.total]);
      const there = columns.map(({ boardColumnId }) => [
        boardColumnId,
        all.filter((item) => item.boardColumnId === boardColumnId).length,
      ]);
      expect(counts).toEqual(there);
    }
  });

  test('a search finds what is there', async () => {
    const { found } = await allItems('&search=Item');
    expect(found.map(({ id }) => id).sort()).toEqual(ids('item'));
    const said = world.told.filter(({ type }) => type === 'work_item.commented').map(({ subject }) => subject);
    const commented = [...new Set(said)].filter((id) => items.has(id));
    expect((await allItems('&search=Comment')).found.map(({ id }) => id).sort()).toEqual(commented.sort());
  });

  test('the log has no gap, and each acknowledged change once', async () => {
    const log: Logged[] = [];
    const types = new Set(world.told.map(({ type }) => type));
    const relevant = () =>
      log.filter(({ type }) => types.has(type)).map(({ type, subject }) => `${subject.id} ${type}`);
    await vi.waitFor(
      async () => {
        for (let length = -1; length < log.length; ) {
          ({ length } = log);
          const { events } = await read<{ events: Logged[] }>(`/api/events?limit=200&after=${log.at(-1)?.seq ?? 0}`);
          log.push(...events);
        }
        expect(relevant().length).toBeGreaterThanOrEqual(world.told.length);
      },
      { timeout: 30_000, interval: 200 },
    );
    expect(log.filter(({ seq }, index) => seq !== index + 1)).toEqual([]);
    expect(relevant().toSorted()).toEqual(world.told.map(({ subject, type }) => `${subject} ${type}`).toSorted());
  });

  test(
    'all of it can be deleted',
    async () => {
      const refused: unknown[] = [];
      const each = async (paths: readonly string[]) => {
        const queue = [...paths];
        await Promise.all(
          keys.map(async ({ call: by }) => {
            for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
              const answer = await by('DELETE', path);
              if (!answer.success) refused.push([path, answer.status, answer.error]);
            }
          }),
        );
      };
      await each(ids('item').map((id) => `/api/work-items/${id}`));
      const defaults = new Set(projects.map(({ defaultBoardId }) => defaultBoardId));
      await each(
        ids('board')
          .filter((id) => !defaults.has(id))
          .map((id) => `/api/boards/${id}`),
      );
      await each(ids('project').map((id) => `/api/projects/${id}`));
      expect(refused).toEqual([]);
      expect((await allItems('')).total).toBe(0);
      expect((await allItems('&search=Item')).found).toEqual([]);
    },
    OPERATIONS * MS_PER_OPERATION,
  );
});
