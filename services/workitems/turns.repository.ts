import mongoose, { type ClientSession } from 'mongoose';

/** The transactions of this process that write one record: the one whose turn it is, and who stands behind it. */
interface Turn {
  holder: ClientSession;
  readonly waiting: { readonly tx: ClientSession; readonly called: () => void }[];
}

const turns = new Map<string, Turn>();
const heldBy = new WeakMap<ClientSession, Set<string>>();
const waitedForBy = new WeakMap<ClientSession, string>();

/**
 * Lets the transactions of this process that write the same record come one after the other. Without, all but one of those under way at once
 * conflict, try again and conflict again. A turn ends with the session, so it outlasts the retries of its transaction.
 * It is pacing, no lock: what must hold is held by the database, where the transactions of other replicas are met too.
 *
 * Who had to wait has a snapshot from before the other's commit, with which it can only conflict: so it starts again at once.
 */
export async function takeTurn(tx: ClientSession, record: string): Promise<void> {
  const held = heldBy.get(tx) ?? startHolding(tx);
  if (held.has(record)) return;
  const turn = turns.get(record);
  if (!turn) {
    turns.set(record, { holder: tx, waiting: [] });
    held.add(record);
    return;
  }
  if (waitsFor(turn.holder, tx)) return;
  waitedForBy.set(tx, record);
  await new Promise<void>((called) => turn.waiting.push({ tx, called }));
  waitedForBy.delete(tx);
  held.add(record);
  const again = new mongoose.mongo.MongoError(`Waited for another transaction on ${record}.`);
  again.addErrorLabel(mongoose.mongo.MongoErrorLabel.TransientTransactionError);
  throw again;
}

/** Whether `tx` would wait for itself, if it waited for `holder`: then it goes on without its turn. */
function waitsFor(holder: ClientSession, tx: ClientSession): boolean {
  const record = waitedForBy.get(holder);
  const next = record === undefined ? undefined : turns.get(record)?.holder;
  return next !== undefined && (next === tx || waitsFor(next, tx));
}

function startHolding(tx: ClientSession): Set<string> {
  const held = new Set<string>();
  heldBy.set(tx, held);
  tx.once('ended', () => {
    for (const record of held) passOn(record);
  });
  return held;
}

function passOn(record: string): void {
  const turn = turns.get(record);
  const next = turn?.waiting.shift();
  if (!turn || !next) turns.delete(record);
  else {
    turn.holder = next.tx;
    next.called();
  }
}
