/** How far a task is, by its column: `pending` = Backlog or To Do, `in_review` = handed over but not yet done. */
export type Progress = 'pending' | 'in_progress' | 'in_review' | 'done';

export type TaskState = 'ready' | 'waiting' | 'blocked' | 'in_progress' | 'in_review' | 'done';

export interface PlannedTask {
  readonly id: string;
  readonly progress: Progress;
  /** Keys of the work that must be handed over first: ids of tasks in the batch, or anything else, which is passed to `progressOutside`. */
  readonly dependsOn: readonly string[];
}

export interface Verdict {
  readonly state: TaskState;
  /** What blocks the task, in the order of its dependencies; empty unless it is `waiting` or `blocked`. */
  readonly blockedBy: readonly string[];
}

export interface Plan {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** Ids of pending tasks: all of one wave can be worked on at once, when the previous waves are handed over. */
  readonly waves: readonly (readonly string[])[];
  /** Pending tasks that wait for each other: the strongly connected components of more than one task, or of one that waits for itself. */
  readonly cycles: readonly (readonly string[])[];
}

const HANDED_OVER: readonly Progress[] = ['in_review', 'done'];

/**
 * Orders a batch of tasks into waves by their dependencies. A dependency is met once it is handed over. Linear in tasks and dependencies.
 * @param tasks each id once; waves and cycles keep this order
 * @param progressOutside for a dependency outside the batch; undefined if it does not exist
 * @param isMet by default once it is handed over
 */
export function planWaves(
  tasks: readonly PlannedTask[],
  progressOutside: (key: string) => Progress | undefined,
  isMet: (progress: Progress, key: string) => boolean = (progress) => HANDED_OVER.includes(progress),
): Plan {
  const batch = new Map(tasks.map((task) => [task.id, task]));
  const unmetOf = new Map<string, string[]>();
  for (const task of tasks) {
    if (task.progress !== 'pending') continue;
    const unmet = [...new Set(task.dependsOn)].filter((key) => {
      const progress = batch.get(key)?.progress ?? progressOutside(key);
      return progress === undefined || !isMet(progress, key);
    });
    unmetOf.set(task.id, unmet);
  }

  const waveOf = layer(unmetOf);
  const waves: string[][] = [];
  const verdicts = new Map<string, Verdict>();
  for (const task of tasks) {
    if (task.progress !== 'pending') {
      verdicts.set(task.id, { state: task.progress, blockedBy: [] });
      continue;
    }
    const unmet = unmetOf.get(task.id) ?? [];
    const wave = waveOf.get(task.id);
    if (wave === undefined) {
      verdicts.set(task.id, { state: 'blocked', blockedBy: unmet.filter((key) => !waveOf.has(key)) });
      continue;
    }
    waves[wave] ??= [];
    waves[wave].push(task.id);
    verdicts.set(task.id, { state: wave === 0 ? 'ready' : 'waiting', blockedBy: unmet });
  }
  return { verdicts, waves, cycles: cyclesAmong(unmetOf) };
}

/** The wave of each task, from 0; none for a task that waits for something in no wave (Kahn's algorithm, by layers). */
function layer(unmetOf: ReadonlyMap<string, readonly string[]>): Map<string, number> {
  const waitsForMe = new Map<string, string[]>();
  const missing = new Map<string, number>();
  for (const [id, unmet] of unmetOf) {
    missing.set(id, unmet.length);
    for (const key of unmet) {
      const waiting = waitsForMe.get(key);
      if (waiting) waiting.push(id);
      else waitsForMe.set(key, [id]);
    }
  }
  const waveOf = new Map<string, number>();
  let current = [...missing].filter(([, count]) => count === 0).map(([id]) => id);
  for (let wave = 0; current.length > 0; wave++) {
    const next: string[] = [];
    for (const id of current) {
      waveOf.set(id, wave);
      for (const waiting of waitsForMe.get(id) ?? []) {
        const left = (missing.get(waiting) ?? 0) - 1;
        missing.set(waiting, left);
        if (left === 0) next.push(waiting);
      }
    }
    current = next;
  }
  return waveOf;
}

/** Tarjan's strongly connected components, with an explicit stack: a chain of thousands of tasks must not overflow the call stack. */
function cyclesAmong(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map([...edges.keys()].map((id, position) => [id, position]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const cycles: string[][] = [];

  for (const root of edges.keys()) {
    if (index.has(root)) continue;
    const path: { id: string; next: number }[] = [{ id: root, next: 0 }];
    while (path.length > 0) {
      const frame = path[path.length - 1] as { id: string; next: number };
      const { id } = frame;
      if (frame.next === 0 && !index.has(id)) {
        low.set(id, index.size);
        index.set(id, index.size);
        open.push(id);
        isOpen.add(id);
      }
      const target = edges.get(id)?.[frame.next++];
      if (target !== undefined) {
        if (!edges.has(target)) continue;
        if (!index.has(target)) path.push({ id: target, next: 0 });
        else if (isOpen.has(target)) low.set(id, Math.min(low.get(id) as number, index.get(target) as number));
        continue;
      }
      path.pop();
      const parent = path[path.length - 1];
      if (parent) low.set(parent.id, Math.min(low.get(parent.id) as number, low.get(id) as number));
      if (low.get(id) !== index.get(id)) continue;
      const component = open.splice(open.lastIndexOf(id));
      for (const member of component) isOpen.delete(member);
      if (component.length > 1 || edges.get(id)?.includes(id)) {
        cycles.push(component.sort((a, b) => (order.get(a) as number) - (order.get(b) as number)));
      }
    }
  }
  return cycles.sort((a, b) => (order.get(a[0] as string) as number) - (order.get(b[0] as string) as number));
}
