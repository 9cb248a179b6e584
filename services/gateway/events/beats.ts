import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import { passingFrame } from './frames.ts';

const EVERY_MS = 1_000;

/** As sent by streams. */
export interface PassingBeat {
  /** The subject of the beat, which goes to everybody who would be notified of a change in the lease's state. */
  readonly about: Pick<LoggedEvent, 'type' | 'projectId' | 'subject'>;
  /** Built once, for all the streams that it goes to. */
  readonly frame: string;
}

/** An organization's heartbeats, passed on together: at once after a pause, otherwise once a second, with the latest for each item. */
export class Beats {
  readonly #told: (beats: readonly PassingBeat[]) => void;
  readonly #newest = new Map<string, Beat>();
  #timer: NodeJS.Timeout | undefined;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(told: (beats: readonly PassingBeat[]) => void) {
    this.#told = told;
  }

  add(beat: Beat): void {
    const { workItemId, lease } = beat;
    const before = this.#newest.get(workItemId);
    // Those from several replicas do not arrive in order.
    if (before && before.lease.lastHeartbeatAt > lease.lastHeartbeatAt) return;
    this.#newest.set(workItemId, beat);
    const delayMs = Math.max(0, this.#toldAtMs + EVERY_MS - performance.now());
    this.#timer ??= setTimeout(() => this.#tell(), delayMs).unref();
  }

  #tell(): void {
    this.#timer = undefined;
    this.#toldAtMs = performance.now();
    const beats = [...this.#newest.values()].map(passing);
    this.#newest.clear();
    this.#told(beats);
  }
}

function passing(beat: Beat): PassingBeat {
  const { workItemId, taskId, projectId } = beat;
  return {
    about: { type: 'work_item.progress', projectId, subject: { kind: 'work_item', id: workItemId, taskId } },
    frame: passingFrame('beat', beat),
  };
}
