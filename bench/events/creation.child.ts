import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { startBenchSystem } from '../support/system.ts';
import type { CreationSide } from './creation.ts';

/** Runs the version of worktrack in a folder, possibly an earlier one, until its parent lets it go. */
const folder = process.argv[2] as string;
const { startBenchSystem: start } = (await import(
  pathToFileURL(join(folder, 'bench', 'support', 'system.ts')).href
)) as { readonly startBenchSystem: typeof startBenchSystem };

process.chdir(folder);
const system = await start({ env: { LOG_LEVEL: 'warn' } });
process.on('disconnect', () => void system.stop().then(() => process.exit()));

const { defaultBoardId } = await system.call<{ defaultBoardId: string }>('POST', '/api/projects', { name: 'Bench' });
const { columns } = await system.call<{ columns: { id: string }[] }>('GET', `/api/boards/${defaultBoardId}`);
const item = { type: 'task', title: 'Item {n}', boardId: defaultBoardId, boardColumnId: columns[0]?.id };
process.send?.({
  gateway: system.gateways[0] as string,
  apiKey: system.apiKey,
  body: JSON.stringify(item),
} satisfies CreationSide);
