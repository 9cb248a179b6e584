import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { databaseServer } from '@worktrack/runtime/database/server';
import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import type { Scope } from '../calls/scope.ts';
import { CounterModel } from './counters.model.ts';

/** One is enough, unless a counter is removed while it is drawn from. */
const MAX_ATTEMPTS = 20;

/** The callers waiting for a counter's next draw while one is in progress. */
interface Line {
  isDrawing: boolean;
  waiting: { readonly take: (number: number) => void; readonly fail: (error: unknown) => void }[];
}
const lines = new Map<string, Line>();

/**
 * Draws the next number of a counter. Deliberately outside any transaction: inside, everybody who draws from the
 * same counter would conflict until the other commits. A number is never given out twice. Calls that arrive during a draw share the next one.
 */
export function draw({ caller: { organizationId } }: Scope, name: string): Promise<number> {
  const key = `${organizationId}:${name}`;
  const line = lines.get(key) ?? { isDrawing: false, waiting: [] };
  lines.set(key, line);
  return new Promise((take, fail) => {
    line.waiting.push({ take, fail });
    if (!line.isDrawing) void drawForAll(key, line, { organizationId, name });
  });
}

async function drawForAll(key: string, line: Line, which: Which): Promise<void> {
  line.isDrawing = true;
  while (line.waiting.length > 0) {
    const served = line.waiting;
    line.waiting = [];
    try {
      const first = (await drawNow(which, served.length)) - served.length + 1;
      for (const [index, { take }] of served.entries()) take(first + index);
    } catch (error) {
      for (const { fail } of served) fail(error);
    }
  }
  lines.delete(key);
}

type Which = {
  readonly organizationId: string;
  readonly name: string;
};

async function drawNow(which: Which, count: number): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const value = await databaseServer().increment(CounterModel, which, 'value', count);
    if (value !== undefined) return value;
    await makeCounter(which);
  }
  throw new Error(`The counter ${which.name} could not be drawn from.`);
}

/** Not an upsert: of several first draws at once, all but one could be refused as duplicates. */
async function makeCounter(which: Which): Promise<void> {
  try {
    await CounterModel.insertMany([{ ...which, value: 0 }], { lean: true });
  } catch (error) {
    // Somebody else was first.
    if (!isDuplicateKey(error)) throw error;
  }
}

export async function removeCounters(
  { caller: { organizationId }, tx }: TransactionScope & Scope,
  names: readonly string[],
): Promise<void> {
  await CounterModel.deleteMany({ organizationId, name: oneOf(names) }, { session: tx });
}
