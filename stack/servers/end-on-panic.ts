import { closeSync, openSync, readSync, type Stats, statSync, unwatchFile, watchFile } from 'node:fs';
import type { Child } from '../processes/child.ts';

const LOOK_EVERY_MS = 500;
/** What WiredTiger logs when it cannot continue, for example after a failed write. */
const PANIC = Buffer.from('WT_PANIC');

/**
 * MongoDB exits when its storage engine panics, and is then restarted. SecantusDB stays, and refuses everything: so it is killed,
 * since it can no longer be stopped in an orderly way. Everything it acknowledged is in its journal.
 */
export function endOnPanic(child: Child): void {
  let readTo = statSync(child.logFile).size;
  const look = ({ size }: Stats) => {
    if (size > readTo && read(child.logFile, Math.max(0, readTo - PANIC.length), size).includes(PANIC))
      child.signal('SIGKILL');
    readTo = size;
  };
  watchFile(child.logFile, { persistent: false, interval: LOOK_EVERY_MS }, look);
  void child.exited.then(() => unwatchFile(child.logFile, look));
}

function read(path: string, from: number, to: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(to - from);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
  } finally {
    closeSync(file);
  }
}
