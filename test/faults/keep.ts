import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect } from 'vitest';
import type { Attempt } from './attempt.ts';

/** What happened when, in milliseconds of the clock: for a fault, or for a call. */
interface Kept {
  readonly calls: readonly Attempt[];
  readonly faults: readonly {
    readonly name: string;
    readonly fromMs: number;
    /** When the part was back. */
    readonly mendedMs: number;
    readonly recoveryMs: number;
  }[];
}

/** For anyone investigating what a run found: `npm run test:faults -- --keep <folder>` keeps its calls, its faults and the logs of its services. */
export function keep(folder: string | undefined, systemFolder: string, { calls, faults }: Kept): void {
  if (folder === undefined) return;
  const target = resolve(folder, basename(expect.getState().testPath ?? '', '.test.ts'));
  mkdirSync(target, { recursive: true });
  const lines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
  writeFileSync(join(target, 'calls.jsonl'), lines(calls));
  writeFileSync(join(target, 'faults.jsonl'), lines(faults));
  cpSync(join(systemFolder, 'logs'), join(target, 'logs'), { recursive: true });
}
