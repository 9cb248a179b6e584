import type { TransactionScope } from '@worktrack/runtime/database/implement';
import mongoose from 'mongoose';
import type { Scope } from '../scope.ts';
import { CounterModel } from './counters.model.ts';

const DUPLICATE_KEY = 11_000;
/** One suffices on a server that tells a document that is there from one that is not. */
const MAX_ATTEMPTS = 20;

/** The callers that wait for the next draw of a counter, while one is under way. */
interface Line {
  isDrawing: boolean;
  waiting: { readonly count: number; readonly take: (last: number) => void; readonly fail: (error: unknown) => void }[];
}
const lines = new Map<string, Line>();

/**
 * Draws the next `count` numbers of a counter and returns the last of them. On purpose outside of any transaction: there, everybody who draws from the
 * same counter would conflict until the other commits. A number is given out once and for all. Those who ask while a draw is under way share the next.
 */
export function draw({ caller }: Scope, name: string, count = 1): Promise<number> {
  const { organizationId } = caller;
  const key = `${organizationId}:${name}`;
  const line = lines.get(key) ?? { isDrawing: false, waiting: [] };
  lines.set(key, line);
  return new Promise((take, fail) => {
    line.waiting.push({ count, take, fail });
    if (!line.isDrawing) void drawForAll(key, line, { organizationId, name });
  });
}

async function drawForAll(key: string, line: Line, which: Which): Promise<void> {
  line.isDrawing = true;
  while (line.waiting.length > 0) {
    const served = line.waiting;
    line.waiting = [];
    const total = served.reduce((sum, { count }) => sum + count, 0);
    try {
      let last = (await drawNow(which, total)) - total;
      for (const { count, take } of served) {
        last += count;
        take(last);
      }
    } catch (error) {
      for (const { fail } of served) fail(error);
    }
  }
  lines.delete(key);
}

interface Which {
  readonly organizationId: string;
  readonly name: string;
}

async function drawNow(which: Which, count: number): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const counter = await CounterModel.collection.findOneAndUpdate(
      which,
      { $inc: { value: count } },
      { returnDocument: 'after', projection: { _id: 0, value: 1 } },
    );
    if (counter) return counter.value as number;
    await makeCounter(which);
  }
  throw new Error(`The counter ${which.name} could not be drawn from.`);
}

/** Not by an upsert: of many first draws at once, SecantusDB answers some with nothing. */
async function makeCounter(which: Which): Promise<void> {
  try {
    await CounterModel.insertMany([{ ...which, value: 0 }], { lean: true });
  } catch (error) {
    // Somebody else was first.
    if (!(error instanceof mongoose.mongo.MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
  }
}

export async function removeCounters(
  { caller, tx }: TransactionScope & Scope,
  names: readonly string[],
): Promise<void> {
  const { organizationId } = caller;
  await CounterModel.deleteMany({ organizationId, name: mongoose.trusted({ $in: [...names] }) }, { session: tx });
}
