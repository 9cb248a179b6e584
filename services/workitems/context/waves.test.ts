import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Plan, type PlannedTask, type Progress, planWaves, type Verdict } from './waves.ts';

const PROGRESS: readonly Progress[] = ['pending', 'in_progress', 'in_review', 'done'];

interface Graph {
  readonly tasks: readonly PlannedTask[];
  readonly outside: ReadonlyMap<string, Progress>;
}

/** Random batches with cycles, self-dependencies, repeats, dependencies outside the batch and ones that name nothing. */
const graphs: fc.Arbitrary<Graph> = fc
  .record({
    progress: fc.array(
      fc.oneof({ weight: 4, arbitrary: fc.constant<Progress>('pending') }, fc.constantFrom(...PROGRESS)),
      {
        minLength: 1,
        maxLength: 14,
      },
    ),
    outside: fc.array(fc.constantFrom(...PROGRESS), { maxLength: 4 }),
    edges: fc.array(fc.tuple(fc.nat(13), fc.nat(19)), { maxLength: 30 }),
  })
  .map(({ progress, outside, edges }) => {
    const known = [...progress.map((_, n) => `task${n}`), ...outside.map((_, n) => `outside${n}`), 'nothing'];
    const dependsOn: string[][] = progress.map(() => []);
    for (const [from, to] of edges) {
      dependsOn[from % progress.length]?.push(known[to % known.length] as string);
    }
    return {
      tasks: progress.map((at, n) => ({ id: `task${n}`, progress: at, dependsOn: dependsOn[n] as string[] })),
      outside: new Map(outside.map((at, n) => [`outside${n}`, at])),
    };
  });

/** The sentence in the specification taken literally: put into wave n whatever only waits for earlier waves, until nothing changes. */
function reference({ tasks, outside }: Graph): Plan {
  const find = (key: string) => tasks.find((task) => task.id === key);
  const met = (key: string) => ['in_review', 'done'].includes(find(key)?.progress ?? outside.get(key) ?? 'nothing');
  const pending = tasks.filter((task) => task.progress === 'pending');
  const unmet = (task: PlannedTask) => [...new Set(task.dependsOn)].filter((key) => !met(key));
  const waves: string[][] = [];
  for (;;) {
    const earlier = waves.flat();
    const wave = pending.filter(
      (task) => !earlier.includes(task.id) && unmet(task).every((key) => earlier.includes(key)),
    );
    if (wave.length === 0) break;
    waves.push(wave.map((task) => task.id));
  }
  const inSomeWave = waves.flat();
  // Reachability over at least one step, by repeated composition.
  const reach = new Map(
    pending.map((task) => [task.id, new Set(unmet(task).filter((key) => find(key)?.progress === 'pending'))]),
  );
  for (let grown = true; grown; ) {
    grown = false;
    for (const reached of reach.values()) {
      const size = reached.size;
      for (const key of [...reached]) for (const further of reach.get(key) ?? []) reached.add(further);
      grown ||= reached.size > size;
    }
  }
  const cycles: string[][] = [];
  for (const { id } of pending) {
    if (!reach.get(id)?.has(id) || cycles.flat().includes(id)) continue;
    cycles.push(pending.map((task) => task.id).filter((key) => reach.get(id)?.has(key) && reach.get(key)?.has(id)));
  }
  return {
    waves,
    cycles,
    verdicts: new Map(
      tasks.map((task): [string, Verdict] => {
        if (task.progress !== 'pending') return [task.id, { state: task.progress, blockedBy: [] }];
        if (waves[0]?.includes(task.id)) return [task.id, { state: 'ready', blockedBy: [] }];
        if (inSomeWave.includes(task.id)) return [task.id, { state: 'waiting', blockedBy: unmet(task) }];
        return [task.id, { state: 'blocked', blockedBy: unmet(task).filter((key) => !inSomeWave.includes(key)) }];
      }),
    ),
  };
}

test('waves, states, blockers and cycles are those of the plain reference computation on any graph', () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      expect(planWaves(graph.tasks, (key) => graph.outside.get(key))).toEqual(reference(graph));
    }),
    { numRuns: 2_000 },
  );
});

test('a blocked task always says what is blocking it', () => {
  fc.assert(
    fc.property(graphs, ({ tasks, outside }) => {
      for (const { state, blockedBy } of planWaves(tasks, (key) => outside.get(key)).verdicts.values()) {
        expect(blockedBy.length > 0).toBe(state === 'blocked' || state === 'waiting');
      }
    }),
  );
});

test('a chain of 20 000 tasks and a ring of 20 000 are planned without running out of stack', () => {
  const ids = Array.from({ length: 20_000 }, (_, n) => `task${n}`);
  const chain = ids.map((id, n) => ({
    id,
    progress: 'pending' as const,
    dependsOn: n > 0 ? [ids[n - 1] as string] : [],
  }));
  expect(planWaves(chain, () => undefined).waves).toHaveLength(20_000);
  const ring = chain.map((task, n) => (n > 0 ? task : { ...task, dependsOn: [ids[19_999] as string] }));
  const { waves, cycles } = planWaves(ring, () => undefined);
  expect(waves).toEqual([]);
  expect(cycles).toEqual([ids]);
});
