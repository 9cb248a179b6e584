import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { StackFile } from '@worktrack/stack/stack-file';

/** `npm run bench -- startup`: how long a warm start takes until the system is ready, and how much memory its idle processes hold. Linux. */
const WANTED_START_S = 15;
const WANTED_SERVICES_MIB = 450;
const STARTS = 3;
/** Of an idle system, after startup is complete. */
const IDLE_MS = 5_000;

const dataDir = mkdtempSync(join(tmpdir(), 'worktrack-bench-'));
const bootstrap = join(import.meta.dirname, '..', 'stack', 'bootstrap.mjs');

function run(...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bootstrap, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${code}`))));
  });
}

/** Resident memory (RSS) and the process's own share of it (PSS: what several processes map counts for each in part). */
function memoryMiB(pid: number): { rss: number; pss: number } {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const of = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) / 1024;
  return { rss: of('Rss'), pss: of('Pss') };
}

const start = () => run('start', '--detach', '--port', '0', '--data-dir', dataDir);
const stop = () => run('stop', '--data-dir', dataDir);
const rows: Record<string, string | number>[] = [];

try {
  // Creates the data, and fills the compile cache if empty: everything after this is warm.
  await start();
  await stop();
  for (let count = 1; count <= STARTS; count++) {
    const startedAtMs = performance.now();
    await start();
    rows.push({
      what: `warm start ${count}, to ready`,
      value: `${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`,
      wanted: `≤ ${WANTED_START_S} s`,
    });
    if (count < STARTS) await stop();
  }
  await delay(IDLE_MS);
  const { pids } = JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')) as StackFile;
  const { gateway, keys, workitems, feedback, events, ...servers } = pids;
  const services = { gateway, keys, workitems, feedback, events };
  let rss = 0;
  let pss = 0;
  for (const [name, ids] of Object.entries(services)) {
    for (const pid of ids) {
      const memory = memoryMiB(pid);
      rss += memory.rss;
      pss += memory.pss;
      rows.push({ what: `${name}, idle`, value: `${memory.rss.toFixed(0)} MiB (PSS ${memory.pss.toFixed(0)})` });
    }
  }
  rows.push({
    what: 'the five services together',
    value: `${rss.toFixed(0)} MiB (PSS ${pss.toFixed(0)})`,
    wanted: `≤ ${WANTED_SERVICES_MIB} MiB`,
  });
  for (const [name, pid] of Object.entries(servers)) {
    if (pid !== undefined) rows.push({ what: `${name}, idle`, value: `${memoryMiB(pid).rss.toFixed(0)} MiB` });
  }
  console.table(rows);
} finally {
  await stop();
  rmSync(dataDir, { recursive: true, force: true });
}
