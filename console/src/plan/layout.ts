import type { Output } from '@worktrack/contracts/operation';
import type { getImplementContext } from '@worktrack/contracts/work-items/agents/context';

export type ImplementContext = Output<typeof getImplementContext>;
export type Task = ImplementContext['tasks'][number];

/** `wave`: what can be worked on in parallel once everything before it is handed over; the first can start now. */
export type ColumnKind = 'handed_over' | 'at_work' | 'wave' | 'blocked';

export interface Column {
  readonly key: string;
  readonly kind: ColumnKind;
  /** Of a wave, from 1. */
  readonly wave: number;
  readonly tasks: readonly Task[];
}

/** From a task to one that depends on it, by their task IDs. */
export interface Line {
  readonly from: string;
  readonly to: string;
  /** `met`: what it starts from is handed over. */
  readonly kind: 'met' | 'open' | 'critical' | 'cycle';
}

export interface Layout {
  /** Those that have tasks, in order of work. Tasks in progress are above the first wave: the next ones wait for both alike. */
  readonly columns: readonly (readonly Column[])[];
  readonly lines: readonly Line[];
  /** The longest chain of tasks that have to follow each other, by their task IDs; empty if none has to follow another. */
  readonly criticalPath: readonly string[];
  /** What each task still waits for: task IDs, or names of what does not exist. */
  readonly waitsFor: ReadonlyMap<string, readonly string[]>;
  /** Each is a group of tasks that wait for each other. */
  readonly cycles: readonly (readonly string[])[];
}

const isHandedOver = ({ state }: Task) => state === 'in_review' || state === 'done';

/** How a plan is drawn: everything that depends on something is to the right of it, except for what is in a cycle. */
export function layOut({ tasks, waves, cycles }: Pick<ImplementContext, 'tasks' | 'waves' | 'cycles'>): Layout {
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  const waveOf = wavesOf(tasks, waves);
  const criticalPath = longestChain(tasks, waveOf);
  const isInCycle = new Map(cycles.flatMap((members, at) => members.map((id) => [id, at])));

  const handedOver: Column = { key: 'handed_over', kind: 'handed_over', wave: 0, tasks: tasks.filter(isHandedOver) };
  const working = tasks.filter(({ state }) => state === 'in_progress');
  const now: Column[] = [{ key: 'at_work', kind: 'at_work', wave: 0, tasks: working }];
  const later: Column[] = [];
  const pending = Map.groupBy(
    tasks.filter((task) => !isHandedOver(task) && task.state !== 'in_progress'),
    ({ taskId }) => waveOf.get(taskId) ?? Number.POSITIVE_INFINITY,
  );
  for (const [wave, found] of [...pending].sort(([one], [other]) => one - other)) {
    if (Number.isFinite(wave)) {
      (wave === 1 ? now : later).push({ key: `wave ${wave}`, kind: 'wave', wave, tasks: found });
    } else {
      // Those that have to be untangled come first.
      const rank = ({ taskId }: Task) => isInCycle.get(taskId) ?? cycles.length;
      later.push({ key: 'blocked', kind: 'blocked', wave, tasks: found.toSorted((a, b) => rank(a) - rank(b)) });
    }
  }

  const follows = new Map(criticalPath.map((id, at) => [id, criticalPath[at - 1]]));
  const lines = tasks.flatMap((task) =>
    [...new Set(task.dependsOn)].flatMap((from): Line[] => {
      const dependency = byId.get(from);
      if (!dependency || (isHandedOver(dependency) && isHandedOver(task))) return [];
      const cycle = isInCycle.get(from);
      const kind = isHandedOver(dependency)
        ? 'met'
        : cycle !== undefined && cycle === isInCycle.get(task.taskId)
          ? 'cycle'
          : follows.get(task.taskId) === from
            ? 'critical'
            : 'open';
      return [{ from, to: task.taskId, kind }];
    }),
  );
  const columns = [[handedOver], now, ...later.map((column) => [column])]
    .map((stacked) => stacked.filter((column) => column.tasks.length > 0))
    .filter((stacked) => stacked.length > 0);
  const open = new Set(tasks.filter((task) => !isHandedOver(task)).map(({ taskId }) => taskId));
  const waitsFor = new Map(tasks.map((task) => [task.taskId, unmetOf(task, open)]));
  return { columns, lines, criticalPath, waitsFor, cycles };
}

/**
 * The wave of each task that will get its turn. The service's waves hold what nobody is working on yet; what waits for a task in progress follows it here
 * as it would follow one in the first wave. None: a task waits for a cycle, for something outside, or for what does not exist.
 */
function wavesOf(tasks: readonly Task[], waves: ImplementContext['waves']): ReadonlyMap<string, number> {
  const waveOf = new Map(waves.flatMap((members, at) => members.map((id) => [id, at + 1] as const)));
  for (const { taskId, state } of tasks) if (state === 'in_progress') waveOf.set(taskId, 1);
  const open = new Set(tasks.filter((task) => !isHandedOver(task)).map(({ taskId }) => taskId));
  let waiting = tasks.filter(({ taskId }) => open.has(taskId) && !waveOf.has(taskId));
  // Each pass places one more wave, so there are at most as many passes as waves.
  for (let isPlaced = true; isPlaced; ) {
    const placed: (readonly [string, number])[] = [];
    for (const task of waiting) {
      const before = unmetOf(task, open);
      if (before.every((id) => waveOf.has(id))) {
        placed.push([task.taskId, 1 + Math.max(0, ...before.map((id) => waveOf.get(id) ?? 0))]);
      }
    }
    for (const [id, wave] of placed) waveOf.set(id, wave);
    waiting = waiting.filter(({ taskId }) => !waveOf.has(taskId));
    isPlaced = placed.length > 0;
  }
  return waveOf;
}

/** For a task in progress nothing: it has started. The service lists as blocking a task only what is in no wave. @param open what is not handed over */
function unmetOf({ state, dependsOn, blockedBy }: Task, open: ReadonlySet<string>): readonly string[] {
  if (state === 'in_progress') return [];
  return [...new Set([...dependsOn.filter((id) => open.has(id)), ...blockedBy])];
}

/** A task's wave is the length of the longest chain that ends with it, so a chain is followed back from the last wave, one wave at a time. */
function longestChain(tasks: readonly Task[], waveOf: ReadonlyMap<string, number>): readonly string[] {
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  const last = Math.max(0, ...waveOf.values());
  const chain: string[] = [];
  let at = tasks.find(({ taskId }) => waveOf.get(taskId) === last);
  for (let wave = last; at && wave >= 1; wave--) {
    chain.unshift(at.taskId);
    const before = at.dependsOn.find((id) => waveOf.get(id) === wave - 1);
    at = before === undefined ? undefined : byId.get(before);
  }
  return chain.length > 1 ? chain : [];
}
