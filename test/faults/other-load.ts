import { processIds, readProc, statOf } from '@worktrack/bench/support/processes';

const EVERY_MS = 500;

interface Sample {
  readonly at: number;
  /** Clock ticks of all processors since the machine started; `idle` includes waiting for disks. */
  readonly all: number;
  readonly idle: number;
  /** Clock ticks of the test run, which is everything descended from the parent of this worker, by process id. */
  readonly own: ReadonlyMap<number, number>;
}

/**
 * How much of the machine's processors went to others while the system was broken and recovering: other programs, other virtual machines. What they take the
 * system cannot have, however healthy it is. Nothing where the kernel does not tell (other than Linux).
 */
export class OtherLoad {
  readonly #samples: Sample[] = [];
  readonly #timer = setInterval(() => this.#look(), EVERY_MS).unref();

  stop(): void {
    clearInterval(this.#timer);
  }

  /** @returns 0 to 1 */
  shareBetween(from: number, to: number): number {
    const within = this.#samples.filter(({ at }) => at >= from - EVERY_MS && at <= to + EVERY_MS);
    let all = 0;
    let others = 0;
    for (const [index, later] of within.entries()) {
      const earlier = within[index - 1];
      if (!earlier) continue;
      let own = 0;
      for (const [pid, ticks] of later.own) own += ticks - (earlier.own.get(pid) ?? 0);
      all += later.all - earlier.all;
      others += Math.max(0, later.all - earlier.all - (later.idle - earlier.idle) - own);
    }
    return all === 0 ? 0 : others / all;
  }

  #look(): void {
    const [, ...fields] = readProc('stat').split('\n', 1)[0]?.split(/\s+/).map(Number) ?? [];
    // proc(5): user nice system idle iowait irq softirq steal; what guests used is part of user.
    const ticks = fields.slice(0, 8);
    if (ticks.length < 8) return;
    const all = ticks.reduce((sum, each) => sum + each, 0);
    this.#samples.push({ at: Date.now(), all, idle: (ticks[3] ?? 0) + (ticks[4] ?? 0), own: ownTicks() });
  }
}

function ownTicks(): Map<number, number> {
  const processes = new Map(processIds().map((pid) => [pid, statOf(pid)]));
  const own = new Map<number, number>();
  for (const [pid, { ticks }] of processes) {
    let ancestor: number | undefined = pid;
    while (ancestor !== undefined && ancestor !== process.ppid) ancestor = processes.get(ancestor)?.parent;
    if (ancestor !== undefined) own.set(pid, ticks);
  }
  return own;
}
