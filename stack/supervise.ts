import type { Part } from './part.ts';
import type { Progress } from './progress.ts';

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 30_000;
/** What has lived as long as this is taken for healthy: its next restart is quick again. */
const HEALTHY_AFTER_MS = 60_000;

/**
 * Starts a part again whenever it ends by itself, and says so. One that keeps ending is tried ever less often, up to every MAX_DELAY_MS.
 * @param onRestart its process id is another one now
 * @returns ends the supervision
 */
export function supervise(part: Part, progress: Progress, onRestart: () => void): () => void {
  let delayMs = FIRST_DELAY_MS;
  let startedAtMs = Date.now();
  let timer: NodeJS.Timeout | undefined;
  let ended = false;

  const again = (description: string) => {
    if (ended) return;
    if (Date.now() - startedAtMs > HEALTHY_AFTER_MS) delayMs = FIRST_DELAY_MS;
    progress.line(`${description}; starting it again in ${delayMs / 1000} s.`);
    timer = setTimeout(restart, delayMs);
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
  };
  const restart = async () => {
    try {
      await part.restart();
      startedAtMs = Date.now();
      // First, so that who reads the line finds in stack.json what it says.
      onRestart();
      progress.line(`${part.name} is ready again (process ${part.pid}).`);
    } catch (error) {
      again(error instanceof Error ? error.message : String(error));
    }
  };
  part.onUnexpectedExit(again);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
