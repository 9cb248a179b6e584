/**
 * The console as people see it, in a real browser: how soon a board is there, how it scrolls and answers, and how soon others' writes are seen.
 * `npm run bench -- console`
 */
import type { Board } from '@worktrack/contracts/projects/board';
import type { Project } from '@worktrack/contracts/projects/project';
import { launchChromiumIn } from '../test/support/chromium-in.ts';
import { firstScreen, longBoard, longScroll } from './console/board.ts';
import { openPages } from './console/pages.ts';
import type { Row } from './events/row.ts';
import { startFiller } from './scale/start-filler.ts';
import { type System, startBenchServers, startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const FEW = 200;
const MANY = 10_000;
const TOGETHER = 20;

const servers = await startBenchServers();
const rows: Row[] = [];
try {
  const system = await startBenchSystem({ on: servers, env: { LOG_LEVEL: 'warn' } });
  const filler = await startFiller(system.environment);
  const browser = await launchChromiumIn(servers.dataDir, { optimizes: true });
  try {
    const newProject = (name: string) => system.call<Project>('POST', '/api/projects', { name });
    const few = await newProject(`${FEW} cards`);
    await createTasks(system, few, FEW);
    const many = await newProject(`${MANY} cards`);
    await filler.fill({ organizationId: system.organizationId, projectId: many.id, first: 0, count: MANY });
    rows.push(
      ...(await firstScreen(browser, system, few.id, { screen: 'board', cards: FEW, maxColdMs: 800, maxWarmMs: 400 })),
      ...(await firstScreen(browser, system, many.id, {
        screen: 'board',
        cards: MANY,
        maxColdMs: 1_500,
        maxWarmMs: 1_500,
      })),
      ...(await firstScreen(browser, system, many.id, {
        screen: 'list',
        cards: MANY,
        maxColdMs: 1_000,
        maxWarmMs: 1_000,
      })),
      ...(await longBoard(browser, system, many.id)),
      ...(await longScroll(browser, system, many.id, { what: 'list', address: 'list?', scroller: '.list' })),
      ...(await longScroll(browser, system, many.id, {
        what: 'board in lanes',
        address: 'board?groupBy=assignee&',
        scroller: '.board',
      })),
      ...(await openPages(browser, system)),
    );
  } finally {
    await browser.close();
    filler.stop();
    await system.stop();
  }
} finally {
  await servers.discard();
}
printTable(['in Chromium, on the loopback', 'measured', 'at most'], rows);

/** Spread over the columns of the project's board. */
async function createTasks({ call }: System, { defaultBoardId: boardId }: Project, count: number): Promise<void> {
  const { columns } = await call<Board>('GET', `/api/boards/${boardId}`);
  const create = (n: number) =>
    call('POST', '/api/work-items', {
      type: 'task',
      title: `Write part ${n} of the reference`,
      boardId,
      boardColumnId: columns[n % columns.length]?.id,
    });
  for (let first = 0; first < count; first += TOGETHER) {
    await Promise.all(Array.from({ length: TOGETHER }, (_, at) => create(first + at)));
  }
}
