/** Work that takes longer no longer keeps the next from beginning: it may never end. */
const PATIENCE_MS = 2_000;

/**
 * Runs the work at once when it is asked for, and repeats it while it is asked for: one run after the other, and no more often than `everyMs`. Requests in one
 * turn of the event loop share a run.
 * @returns asks for it
 */
export function paced(work: () => Promise<unknown>, everyMs: number): () => void {
  let isRunning = false;
  let isDue = false;
  const run = async () => {
    while (isDue) {
      isDue = false;
      // Whether it succeeded is its own affair: the next one is not held up by that.
      await Promise.allSettled([pause(everyMs), Promise.race([work(), pause(PATIENCE_MS)])]);
    }
    isRunning = false;
  };
  return () => {
    isDue = true;
    if (isRunning) return;
    isRunning = true;
    queueMicrotask(run);
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
