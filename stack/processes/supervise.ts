import type { Progress } from '../report/progress.ts';
import type { Part } from './part.ts';

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 30_000;
/** A part that has run this long counts as healthy: its next restart is quick again. */
const HEALTHY_AFTER_MS = 60_000;

/**
 * Restarts a part whenever it ends on its own, and says so. One that keeps ending is retried less and less often, down to every MAX_DELAY_MS.
 * @param onRestart its process id has changed
 * @returns a function that ends the supervision
 */
export function supervise(part: Part, progress: Progress, onRestart: () => void): () => void {
  let delayMs = FIRST_DELAY_MS;
  /** Undefined while it is not: one whose restarts fail has not run at all, however long ago the last good one was. */
  let readySinceMs: number | undefined = Date.now();
  let timer: NodeJS.Timeout | undefined;
  let ended = false;

  const again = (description: string) => {
    if (ended) return;
    if (readySinceMs !== undefined && Date.now() - readySinceMs > HEALTHY_AFTER_MS) delayMs = FIRST_DELAY_MS;
    readySinceMs = undefined;
    progress.line(`${description}; restarting it in ${delayMs / 1000} s.`);
    timer = setTimeout(restart, delayMs);
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
  };
  const restart = async () => {
    try {
      await part.restart();
    } catch (error) {
      again(messageOf(error));
      return;
    }
    readySinceMs = Date.now();
    try {
      // First, so that stack.json is already up to date for readers of this line.
      onRestart();
    } catch (error) {
      progress.line(`What uses ${part.name} could not be told of its new process: ${messageOf(error)}`);
    }
    progress.line(`${part.name} is ready again (process ${part.pid}).`);
  };
  part.onUnexpectedExit(again);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
