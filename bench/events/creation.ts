import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LoadResult, loadHttp } from '../support/http-load.ts';
import { quantile } from '../support/quantile.ts';
import type { Row } from './row.ts';

/** The last commit that has neither log nor outbox. */
const WITHOUT_LOG = '23411a44764c3c5c8652feab91660dab3bdad7da';
const PNPM = 'pnpm@12.21.0';
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const ROUND_MS = 5_000;
const CONNECTIONS = 16;

/** What the child reports about the system that it runs. */
export interface CreationSide {
  readonly gateway: string;
  readonly apiKey: string;
  /** For a request that creates an item; `{n}` counts up. */
  readonly body: string;
}

/**
 * Compares creation of items by this version with the last version without a log, taken from the repository's history. Each has its own servers; they take
 * turns, and the other one is idle meanwhile.
 */
export async function creation(rounds: number): Promise<Row[]> {
  const older = mkdtempSync(join(tmpdir(), 'worktrack-without-log-'));
  const stops: (() => Promise<unknown>)[] = [];
  const start = async (folder: string): Promise<CreationSide> => {
    const child = fork(join(import.meta.dirname, 'creation.child.ts'), [folder], { execArgv: [] });
    stops.push(async () => {
      child.disconnect();
      await once(child, 'exit');
    });
    const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`A side ended with ${code}.`)));
    const [side] = await Promise.race([once(child, 'message'), failed]);
    failed.catch(() => {});
    return side as CreationSide;
  };
  try {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: REPOSITORY, stdio: 'ignore' });
    git('worktree', 'add', '--detach', '--force', older, WITHOUT_LOG);
    stops.push(async () => git('worktree', 'remove', '--force', older));
    execFileSync('npx', ['-y', PNPM, 'install', '--frozen-lockfile', '--prefer-offline', '--reporter=silent'], {
      cwd: older,
      stdio: 'ignore',
    });
    const sides = { withLog: await start(REPOSITORY), without: await start(older) };
    const rates = { withLog: [] as number[], without: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      const names = ['withLog', 'without'] as const;
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const { perSecond, statuses } = await create(sides[name], round);
        if (Object.keys(statuses).some((status) => status !== '201')) throw new Error(JSON.stringify(statuses));
        // The first round warms up.
        if (round > 0) rates[name].push(perSecond);
      }
    }
    const ratios = rates.withLog.map((rate, at) => rate / (rates.without[at] ?? Number.NaN));
    return [
      ['items created a second, without the log', quantile(rates.without, 0.5), ''],
      ['items created a second', quantile(rates.withLog, 0.5), ''],
      ['ratio, the middle of the rounds', quantile(ratios, 0.5), '0.9'],
    ];
  } finally {
    for (const stop of stops.reverse()) await stop();
    rmSync(older, { recursive: true, force: true });
  }
}

function create({ gateway, apiKey, body }: CreationSide, round: number): Promise<LoadResult> {
  return loadHttp({
    urls: [gateway],
    connections: CONNECTIONS,
    durationMs: ROUND_MS,
    firstNumber: round * 1_000_000,
    request: {
      method: 'POST',
      path: '/api/work-items',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body,
    },
  });
}
