import { uuidv7 } from '@worktrack/runtime/process/uuid';
import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { settleEndedLeases } from '../leases/settle.ts';
import { whileItStands, whileNobodyActs } from './clock.ts';
import { compareTouched } from './compare.ts';
import { MODELS, shownCost } from './costs.ts';
import { GATES } from './gates.ts';
import type { DependencyMet, ItemType, LeaseState, Metadata, ModelItem, Place, Priority } from './records.ts';
import type { Model } from './reference.ts';
import type { Service } from './service.ts';
import { NAMES, PARENTS } from './tables.ts';

/** How often what the last steps wrote is compared. The end of a run compares everything. */
const STEPS_BETWEEN_LOOKS = 4;
const ISO_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let stepsMade = 0;
export const stepsSoFar = () => stepsMade;
/** All that a process compares at the moment: time passes for all of them. */
export const underWay = new Set<Model>();

type Act<P> = (params: P, model: Model, service: Service) => Promise<void>;

/** One operation. Its parameters name items and columns by numbers: indexes, modulo how many there are when its turn comes. */
class Step<P> implements fc.AsyncCommand<Model, Service>, fc.WithCloneMethod<Step<P>> {
  readonly #params: P;
  readonly #act: Act<P>;
  /** Whether there is anything to do it with. */
  readonly #needs: (model: Model) => boolean;
  #calls = '';

  constructor(params: P, act: Act<P>, needs: (model: Model) => boolean) {
    this.#params = params;
    this.#act = act;
    this.#needs = needs;
  }

  check(model: Readonly<Model>): boolean {
    return this.#needs(model as Model);
  }

  async run(model: Model, service: Service): Promise<void> {
    const act = () => this.#act(this.#params, model, service);
    try {
      await (this.#act === (goForward as Act<unknown>) ? act() : whileItStands(act));
    } finally {
      this.#calls = service.calls();
    }
    stepsMade++;
    if (++model.steps % STEPS_BETWEEN_LOOKS === 0) await whileItStands(() => compareTouched(model, service));
  }

  /** Each attempt at shrinking a failure runs steps of its own: what those of the failure called must not be forgotten. */
  [fc.cloneMethod](): Step<P> {
    return new Step(this.#params, this.#act, this.#needs);
  }

  toString(): string {
    return `\n${this.#calls}`;
  }
}

function step<P>(
  params: fc.Arbitrary<P>,
  act: Act<P>,
  needs: (model: Model) => boolean = (model) => model.items.size > 0,
): fc.Arbitrary<fc.AsyncCommand<Model, Service>> {
  return params.map((given) => new Step(given, act, needs));
}

// What is chosen from.

const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

const Nth = fc.nat(999);
const flag = fc.boolean();
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const rarely = fc.integer({ min: 0, max: 19 }).map((value) => value === 0);
const Title = fc
  .array(fc.constantFrom('Alpha', 'alphabet', 'beta', 'Gamma', 'gap'), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(' '));
const Type = fc.constantFrom<ItemType>('task', 'task', 'task', 'story', 'feature', 'epic', 'idea');
const PriorityOf = fc.constantFrom<Priority>('low', 'medium', 'high', 'urgent');
const Assignee = fc.constantFrom('', 'Ada', 'Grace');
const key = fc.constantFrom('a', 'b', 'c');
const MetadataOf = fc.dictionary(
  key,
  fc.oneof(
    fc.integer(),
    fc.constant(null),
    fc.constantFrom('x', 'y'),
    fc.dictionary(key, fc.oneof(fc.integer(), fc.constant(null)), { maxKeys: 2, noNullPrototype: true }),
  ),
  { maxKeys: 3, noNullPrototype: true },
);
const tokens = fc.nat(800_000);
const CostUsd = fc.constantFrom(0, 0.25, 1.000001);
/** A total alone, its parts, or one of them, with the parts of a cache; a cost paid for it wins. */
const TokensOf = fc.oneof(
  fc.record({ totalTokens: tokens, costUsd: rarely.map((isPaid) => (isPaid ? 0.25 : undefined)) }),
  fc
    .record({ input: tokens, output: tokens, cached: fc.nat(3), written: fc.nat(3), which: fc.nat(3) })
    .map(({ input, output, cached, written, which }) => ({
      totalTokens: input + output,
      inputTokens: which === 1 ? undefined : input,
      outputTokens: which === 2 ? undefined : output,
      cachedInputTokens: which === 3 ? Math.floor((input * cached) / 6) : undefined,
      cacheWriteTokens: which === 3 ? Math.floor((input * written) / 6) : undefined,
    })),
  fc.record({ totalTokens: tokens, costUsd: CostUsd }),
);
const SessionTokens = fc
  .record({ model: fc.constantFrom(...MODELS), of: TokensOf, durationMs: optional(fc.nat(100_000)) })
  .map(({ model, of, durationMs }) => given({ model, ...of, durationMs }));
/** From few, so that some are there already. */
const ExternalId = optional(fc.constantFrom('one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'));
const Reason = optional(fc.constantFrom('Not yet', 'Once more'));
/** Whose key it is: usually the one that all else is done with. */
const Who = fc.constantFrom<'caller' | 'otherKey' | 'reviewer'>('caller', 'caller', 'caller', 'otherKey', 'reviewer');
const Judge = fc.constantFrom<'caller' | 'otherKey' | 'reviewer'>('caller', 'otherKey', 'reviewer', 'reviewer');
/** For moves by hand. */
const Hand = { takeOver: optional(flag), reason: Reason, force: rarely.map((isForced) => isForced || undefined) };

const Day = fc.constantFrom('2026-02-28', '2028-02-29');
const Estimate = fc.constantFrom(0, 0.5, 8);

const nth = <T>(all: readonly T[], n: number): T => all[n % all.length] as T;
const itemAt = (model: Model, n: number): ModelItem => nth([...model.items.values()], n);
const heldItems = (model: Model) => [...model.items.values()].filter(({ lease }) => lease);
/** From the last claims, whose leases may be live. */
const tokenAt = (model: Model, n: number) => nth(model.tokens.slice(-4), n);
const hasTokens = (model: Model) => model.tokens.length > 0;
const columnsOf = (model: Model, item: ModelItem) => model.board(item).columns;
const allColumns = (model: Model) => model.boards.flatMap(({ columns }) => columns);
const now = () => Date.now();
/** An item is named by its task ID or its id. */
const ref = (item: ModelItem, byTaskId: boolean) => (byTaskId ? item.taskId : item.id);

/** Usually a parent that the rules allow; now and then any item. */
function parentAt(model: Model, type: ItemType, n: number): ModelItem | undefined {
  const wanted: Partial<Record<ItemType, ItemType>> = { feature: 'epic', story: 'feature' };
  const all = [...model.items.values()];
  const fitting = all.filter((item) => type === 'task' || item.type === wanted[type]);
  return n % 10 === 0 || fitting.length === 0 ? all[n % Math.max(1, all.length)] : nth(fitting, n);
}

// The operations.

const create = step(
  fc.record({
    ...{ title: Title, type: Type, priority: optional(PriorityOf), assignee: optional(Assignee) },
    ...{ dueDate: optional(Day), estimate: optional(Estimate) },
    ...{ metadata: optional(MetadataOf), parent: optional(Nth), column: Nth, dependsOn: optional(Nth) },
    externalId: ExternalId,
  }),
  async ({ title, type, metadata, parent: n, column: at, dependsOn, ...plain }, model, service) => {
    // Usually on the first board, and where work starts.
    const board = nth(model.boards, at % 7 === 0 ? 1 : 0);
    const column = nth(board.columns, at % 3 === 0 ? at : 0);
    const parentId = n === undefined ? undefined : parentAt(model, type, n)?.id;
    const dependency = dependsOn === undefined || model.items.size === 0 ? undefined : itemAt(model, dependsOn).taskId;
    const input = given({
      ...{ title, type, ...plain, parentId, boardColumnId: column.id },
      metadata: dependency ? { ...metadata, dependsOn: [dependency] } : metadata,
    });
    await service.agree('workItems.create', { ...input, boardId: board.id }, (answer) => {
      const known = model.items.size;
      const item = model.create(input, answer);
      const isNew = model.items.size > known;
      expect(answer).toMatchObject({
        ...model.view(item),
        ...(input.externalId !== undefined && { created: isNew }),
      });
    });
  },
  () => true,
);

/** A reference to something within the plan, or to an existing item. */
const Reference = fc.record({ isWithin: flag, n: Nth });
const Planned = fc.record({
  ...{ title: Title, type: Type, priority: optional(PriorityOf), metadata: optional(MetadataOf) },
  ...{ column: optional(Nth), externalId: ExternalId, byTaskId: flag, isTwice: rarely },
  ...{ parent: optional(Reference), dependsOn: optional(fc.array(Reference, { maxLength: 2 })) },
});
type ValueOf<A> = A extends fc.Arbitrary<infer Value> ? Value : never;
type Reference = ValueOf<typeof Reference>;
type Planned = ValueOf<typeof Planned>;

const refAt = (index: number) => `item-${index}`;

/** Usually an earlier one that the rules allow; now and then any of the plan, one too far, or a missing one. */
function namedIn(
  model: Model,
  items: readonly Planned[],
  index: number,
  { isWithin, n }: Reference,
  isParent: boolean,
): string | undefined {
  const { type, byTaskId } = items[index] as Planned;
  if (isWithin) {
    if (n % 40 === 0) return `#${refAt(n % (items.length + 1))}`;
    const fitting = [...items.keys()].filter(
      (at) => at < index && (!isParent || PARENTS[type].includes((items[at] as Planned).type)),
    );
    return fitting.length === 0 ? undefined : `#${refAt(nth(fitting, n))}`;
  }
  if (n % 60 === 1) return uuidv7();
  const item = isParent ? parentAt(model, type, n) : [...model.items.values()][n % Math.max(1, model.items.size)];
  return item && ref(item, byTaskId);
}

/** What is there already may be named in metadata, too. */
function inMetadata(metadata: Metadata | undefined, dependsOn: string[] | undefined) {
  const isThere = dependsOn?.length === 1 && !dependsOn[0]?.startsWith('#');
  return isThere ? { metadata: { ...metadata, dependsOn } } : { metadata, dependsOn };
}

/** A plan of several items, in any order, all of them or none. */
const createMany = step(
  fc.record({ items: fc.array(Planned, { minLength: 1, maxLength: 6 }), isReversed: flag, common: optional(Nth) }),
  async ({ items, isReversed, common }, model, service) => {
    const columns = nth(model.boards, 0).columns;
    const columnAt = (n: number | undefined) => (n === undefined ? undefined : nth(columns, n).id);
    const plan = items.map(({ column, parent, dependsOn, byTaskId: _, isTwice, ...plain }, index) =>
      given({
        ...{ ...plain, ref: refAt(isTwice ? 0 : index), boardColumnId: columnAt(column) },
        parentId: parent && namedIn(model, items, index, parent, true),
        ...inMetadata(
          plain.metadata,
          dependsOn?.flatMap((each) => namedIn(model, items, index, each, false) ?? []),
        ),
      }),
    );
    if (isReversed) plan.reverse();
    const input = given({ items: plan, boardColumnId: columnAt(common) });
    await service.agree('workItems.createMany', input, (answer) => {
      const known = new Set(model.items.keys());
      const made = model.createMany(
        plan.map((each) => given({ ...each, boardColumnId: each.boardColumnId ?? input.boardColumnId })),
        answer?.items,
      );
      expect(answer.items).toEqual(
        made.map(({ id, taskId }, n) => ({ ref: plan[n]?.ref, id, taskId, created: !known.has(id) })),
      );
    });
  },
  () => true,
);

const createInBacklog = step(
  fc.record({ title: Title, type: fc.constantFrom('task', 'story', 'feature', 'epic'), parent: optional(Nth) }),
  async ({ title, type, parent: n }, model, service) => {
    const names = { task: 'createTask', story: 'createStory', feature: 'createFeature', epic: 'createEpic' } as const;
    const parentId = n === undefined || type === 'epic' ? undefined : parentAt(model, type, n)?.id;
    const input = given({ title, parentId });
    await service.agree(`workItems.${names[type]}`, input, (answer) => {
      const item = model.createInBacklog({ ...input, type }, answer);
      expect(answer).toMatchObject(model.view(item));
    });
  },
  () => true,
);

/** A tree of its own, down to tasks, one of them with tasks below it. */
const createTree = step(
  fc.record({ title: Title, priority: PriorityOf, waits: flag }),
  async ({ title, priority, waits }, model, service) => {
    const backlog = nth(model.boards[0]?.columns ?? [], 0);
    async function add(type: ItemType, parent: ModelItem | undefined, dependsOn?: ModelItem): Promise<ModelItem> {
      const metadata = dependsOn && { dependsOn: [dependsOn.taskId] };
      const input = given({ title, type, priority, boardColumnId: backlog.id, parentId: parent?.id, metadata });
      let item: ModelItem | undefined;
      await service.agree('workItems.create', { ...input, boardId: model.boards[0]?.id as string }, (answer) => {
        item = model.create(input, answer);
      });
      return item as ModelItem;
    }
    const story = await add('story', await add('feature', await add('epic', undefined)));
    const first = await add('task', story);
    await add('task', story, waits ? first : undefined);
    await add('task', first);
  },
  () => true,
);

const update = step(
  fc.record({
    ...{ item: Nth, byTaskId: flag, title: optional(Title), type: optional(Type), priority: optional(PriorityOf) },
    ...{
      assignee: optional(Assignee),
      dueDate: optional(fc.option(Day)),
      estimate: optional(fc.option(Estimate)),
      metadata: optional(MetadataOf),
      column: optional(Nth),
      version: optional(rarely),
    },
    ...{ parent: optional(fc.oneof(Nth, fc.constant(null))), dependsOn: optional(Nth), onlyParent: flag },
    ...{ who: Who, ...Hand },
  }),
  async (params, model, service) => {
    const item = itemAt(model, params.item);
    const { title, type, priority, assignee, dueDate, estimate, metadata, column, version: isStale } = params;
    const parent = params.parent && parentAt(model, type ?? item.type, params.parent);
    const dependency = params.dependsOn === undefined ? undefined : itemAt(model, params.dependsOn).id;
    // A parent along with everything else is usually refused because of the rest.
    const fields =
      params.onlyParent && params.parent !== undefined
        ? {}
        : { title, type, priority, assignee, dueDate, estimate, metadata };
    const input = given({
      ...{ id: ref(item, params.byTaskId), ...fields },
      parentId: params.parent === null ? null : (parent as ModelItem | undefined)?.taskId,
      boardColumnId: column === undefined ? undefined : nth(columnsOf(model, item), column).id,
      version: isStale === undefined ? undefined : isStale ? item.version + 1 : item.version,
      ...{ takeOver: params.takeOver, reason: params.reason, force: params.force },
      ...(dependency && !params.onlyParent && { metadata: { ...metadata, dependsOn: [dependency] } }),
    });
    await service.agree(
      'workItems.update',
      input,
      (answer) => {
        expect(answer).toMatchObject(model.view(model.update(input)));
      },
      service[params.who],
    );
  },
);

const move = step(
  fc.record({
    ...{ item: Nth, byTaskId: flag, column: Nth, toDone: flag, isAutoSync: rarely, setAiProcessing: optional(flag) },
    ...{ aiProvider: optional(fc.constantFrom('anthropic', 'openai')), onAnyBoard: rarely, who: Who, ...Hand },
    place: optional(fc.oneof(fc.constantFrom<'first' | 'last'>('first', 'last'), Nth)),
  }),
  async (params, model, service) => {
    const item = itemAt(model, params.item);
    const { isAutoSync, setAiProcessing, aiProvider, takeOver, reason, force } = params;
    const columns = params.onAnyBoard ? allColumns(model) : columnsOf(model, item);
    const done = columns.find(({ step }) => step === 'Done');
    const column = params.toDone && done ? done : nth(columns, params.column);
    const at = params.place;
    const position: Place | undefined =
      typeof at !== 'number' ? at : column.items.length === 0 ? 'last' : { after: nth(column.items, at) };
    const input = given({
      ...{ workItemId: ref(item, params.byTaskId), boardColumnId: column.id },
      ...{ isAutoSync, setAiProcessing, aiProvider, position, takeOver, reason, force },
    });
    await service.agree(
      'workItems.move',
      input,
      ({ workItem, fromColumn, toColumn, cascaded }) => {
        const moved = model.move(input);
        expect(workItem).toMatchObject(model.view(moved.item));
        expect({ fromColumn, toColumn, cascaded }).toEqual({
          fromColumn: moved.fromColumn,
          toColumn: column.name,
          cascaded: moved.cascaded,
        });
      },
      service[params.who],
    );
  },
);

/** All children of an item go to one column, one after the other. */
const moveChildren = step(
  fc.record({ parent: Nth, column: fc.constantFrom('Done', 'Done', 'Done', 'Review', 'To Do') }),
  async ({ parent: n, column: name }, model, service) => {
    for (const { id } of model.childrenOf(nth(parentsOf(model), n))) {
      const boardColumnId = columnsOf(model, model.item(id)).find((each) => each.step === name)?.id;
      if (boardColumnId === undefined) continue;
      await service.agree('workItems.move', { workItemId: id, boardColumnId }, ({ workItem, cascaded }) => {
        const moved = model.move({ workItemId: id, boardColumnId });
        expect(workItem).toMatchObject(model.view(moved.item));
        expect(cascaded).toEqual(moved.cascaded);
      });
    }
  },
  (model) => parentsOf(model).length > 0,
);
const parentsOf = (model: Model) => [...model.items.values()].filter((item) => model.childrenOf(item).length > 0);

const batchMove = step(
  fc.record({
    ...{ items: fc.array(Nth, { minLength: 1, maxLength: 4 }), column: Nth, byTaskId: flag, withUnknown: rarely },
    ...{ setAiProcessing: optional(flag), aiProvider: optional(fc.constant('openai')), who: Who },
    ...{ from: optional(Nth), hand: fc.record(Hand) },
  }),
  async ({ items, column: n, byTaskId, withUnknown, setAiProcessing, aiProvider, who, from, hand }, model, service) => {
    const columns = columnsOf(model, itemAt(model, items[0] as number));
    const column = nth(columns, n);
    const fromColumnId = from === undefined ? undefined : nth(columns, from).id;
    const chosen = items.map((each) => itemAt(model, each));
    const workItemIds = [...chosen.map((item) => ref(item, byTaskId)), ...(withUnknown ? [uuidv7()] : [])];
    const input = given({ workItemIds, boardColumnId: column.id, fromColumnId, setAiProcessing, aiProvider, ...hand });
    const positions = new Map<string, number>();
    for (const id of new Set([...column.items, ...chosen.map((item) => item.id)])) {
      positions.set(id, (await service.ask('workItems.get', { id })).position);
    }
    await service.agree(
      'workItems.batchMove',
      input,
      (answer) => {
        const { moved, skipped } = model.batchMove(input, (id) => positions.get(id) as number);
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
        expect(answer.movedCount).toBe(moved.length);
        expect(answer.items.toSorted(byId).map(({ id, version, columnName }) => ({ id, version, columnName }))).toEqual(
          moved.toSorted(byId).map(({ id, version }) => ({ id, version, columnName: column.name })),
        );
        expect(answer.skipped.map(({ id }) => id).toSorted()).toEqual(skipped.toSorted());
      },
      service[who],
    );
  },
);

const remove = step(fc.record({ item: Nth, byTaskId: flag }), async ({ item: n, byTaskId }, model, service) => {
  const item = itemAt(model, n);
  await service.agree('workItems.delete', { id: ref(item, byTaskId) }, (answer) => {
    model.delete(item.id);
    // Whom it may surprise (the item's holder) is reported in addition.
    const { warnings: _, ...rest } = answer;
    expect(rest).toEqual({ deleted: true, id: item.id });
  });
});

const comment = step(
  fc.record({ item: Nth, byTaskId: flag, ofHeld: flag, token: optional(Nth), who: Who }),
  async ({ item: n, byTaskId, ofHeld, token, who }, model, service) => {
    const held = heldItems(model);
    const item = ofHeld && held.length > 0 ? nth(held, n) : itemAt(model, n);
    const leaseToken =
      token === undefined || !hasTokens(model) ? undefined : (item.lease ?? tokenAt(model, token)).token;
    const text = `Comment ${item.history.length}`;
    const input = given({ workItemId: ref(item, byTaskId), text, leaseToken });
    await service.agree(
      'workItems.comment',
      input,
      (answer) => {
        model.comment(input, now());
        expect(answer.event).toMatchObject({ eventType: 'comment', data: { text } });
      },
      service[who],
    );
  },
);

const answerQuestion = step(
  fc.record({ item: Nth, who: Who }),
  async ({ item: n, who }, model, service) => {
    const held = heldItems(model);
    const waiting = held.filter(({ lease }) => lease?.state === 'awaiting_input');
    const item = nth(waiting.length > 0 ? waiting : held, n);
    const input = { workItemId: item.id, text: `Answer ${item.history.length}` };
    await service.agree(
      'workItems.answer',
      input,
      ({ agent, question }) => {
        model.answer(input, now());
        expect({ agent, question }).toEqual({ agent: item.lease?.agent, question: item.lease?.question ?? null });
      },
      service[who],
    );
  },
  (model) => heldItems(model).length > 0,
);

/** A heartbeat, mostly of a lease that is live. */
const progress = step(
  fc.record({
    ...{
      item: Nth,
      token: Nth,
      isWrong: rarely,
      state: optional(fc.constantFrom<LeaseState>('working', 'awaiting_input')),
    },
    ...{
      question: optional(fc.constantFrom('Which one?', 'Which colour?')),
      model: optional(fc.constantFrom(...MODELS)),
    },
    tokens: optional(TokensOf),
    isWithoutTotal: rarely,
  }),
  async ({ item: n, token, isWrong, state, question, model: name, tokens, isWithoutTotal }, model, service) => {
    const item = nth(heldItems(model), n);
    const leaseToken = (isWrong ? tokenAt(model, token) : (item.lease ?? tokenAt(model, token))).token;
    const used = tokens && given({ ...tokens, ...(isWithoutTotal && { totalTokens: undefined }) });
    const input = given({ workItemId: item.id, leaseToken, state, question, model: name, ...used });
    await service.agree('workItems.progress', input, (answer) => {
      const atMs = Date.parse(answer?.lease?.lastHeartbeatAt ?? '');
      const { lease, answers, notices } = model.progress(input, now(), { atMs });
      expect(answer.lease).toMatchObject({
        ...{ state: lease.state, expiresAt: new Date(lease.expiresAtMs).toISOString() },
        tokensSoFar: lease.report?.totalTokens ?? null,
      });
      expect(answer.answers.map(({ text }) => text)).toEqual(answers);
      expect((answer.notices ?? []).map(({ taskId }) => taskId)).toEqual(notices);
      const [rest] = model.restsOver(item);
      expect(answer.stop, 'whether a budget is used up').toBe(rest !== undefined && rest <= 0);
      const { limitUsd, spentUsd } = answer.budget ?? { limitUsd: 0, spentUsd: 0 };
      const left = answer.budget ? Math.round((limitUsd - spentUsd) * 1_000_000) : undefined;
      expect(left, 'what is left of the tightest budget').toBe(rest);
    });
  },
  (model) => heldItems(model).length > 0,
);

/** A deleted item can be read about, and nothing else. */
const useDeleted = step(
  fc.record({ item: Nth }),
  async ({ item: n }, model, service) => {
    const item = nth([...model.deleted.values()], n);
    const { id } = item;
    const column = nth(columnsOf(model, item), n);
    await service.agree('workItems.comment', { workItemId: id, text: 'Late' }, () =>
      model.comment({ workItemId: id, text: 'Late' }, now()),
    );
    await service.agree('workItems.update', { id, title: 'Late' }, () => void model.update({ id, title: 'Late' }));
    await service.agree('workItems.move', { workItemId: id, boardColumnId: column.id }, () => {
      model.move({ workItemId: id, boardColumnId: column.id });
    });
    await service.agree('workItems.delete', { id }, () => void model.delete(id));
    model.touched.add(id);
  },
  (model) => model.deleted.size > 0,
);

const recordSession = step(
  fc.record({ item: Nth, byTaskId: flag, session: SessionTokens }),
  async ({ item: n, byTaskId, session }, model, service) => {
    const item = itemAt(model, n);
    const input = { ...session, workItemId: ref(item, byTaskId) };
    await service.agree('workItems.recordSession', input, (answer) => {
      model.recordSession(input, answer);
      expect(answer).toMatchObject({ workItemId: item.id, totalTokens: session.totalTokens });
    });
  },
);

const completeReview = step(
  fc.record({
    item: Nth,
    result: fc.constantFrom<'pass' | 'fail'>('pass', 'fail'),
    issues: fc.array(Title, { maxLength: 2 }),
    takeOver: optional(flag),
    ...{ who: Judge, ofAll: rarely },
  }),
  async ({ item: n, result, issues, takeOver, who, ofAll }, model, service) => {
    const item = judgedAt(model, ['Review'], n, ofAll);
    const input = given({ workItemId: item.id, result, summary: 'Read', issues, reviewedFiles: ['a.ts'], takeOver });
    await service.agree(
      'workItems.completeReview',
      input,
      (answer) => {
        const { fromColumn, to, isMisfit } = model.completeReview(input, { reviewedAt: ISO_TIME });
        const { id: workItemId, taskId } = item;
        // Whom it may surprise (the item's holder) is reported in addition.
        const { warnings = [], ...rest } = answer;
        expect(rest).toEqual({ completed: true, workItemId, taskId, result, fromColumn, movedTo: to.name });
        if (isMisfit) expect(warnings, 'warnings of what does not fit').not.toEqual([]);
      },
      service[who],
    );
  },
);

/** Mostly where it is waited for. */
function judgedAt(model: Model, steps: readonly string[], n: number, ofAll: boolean): ModelItem {
  const waiting = [...model.items.values()].filter((item) => steps.includes(model.step(item)));
  return ofAll || waiting.length === 0 ? itemAt(model, n) : nth(waiting, n);
}

const completeValidation = step(
  fc.record({
    ...{ item: Nth, toDocument: optional(Nth), validating: optional(Nth), session: SessionTokens },
    documentation: optional(fc.record({ summary: Title, changelogEntry: Title }, { requiredKeys: [] })),
    testResults: optional(fc.record({ passed: fc.nat(9), failed: fc.nat(1) }, { requiredKeys: [] })),
    takeOver: optional(flag),
    ...{ who: Judge, ofAll: rarely },
  }),
  async ({ item: n, toDocument, validating, session, who, ofAll, ...rest }, model, service) => {
    const { documentation, testResults, takeOver } = rest;
    const item = judgedAt(model, ['Testing', 'Validating'], n, ofAll);
    const columnAt = (at: number | undefined) => (at === undefined ? undefined : nth(columnsOf(model, item), at).id);
    const columns = { toDocumentColumnId: columnAt(toDocument), validatingColumnId: columnAt(validating) };
    const input = given({ workItemId: item.id, ...columns, documentation, testResults, takeOver, ...session });
    await service.agree(
      'workItems.completeValidation',
      input,
      (answer) => {
        const { fromColumn, to, passed, redirected, isMisfit } = model.completeValidation(input, answer);
        const expected = { completed: true, workItemId: item.id, taskId: item.taskId, passed, fromColumn, redirected };
        expect(answer).toMatchObject({ ...expected, movedTo: to.name, totalTokens: session.totalTokens });
        if (isMisfit) expect(answer.warnings ?? [], 'warnings of what does not fit').not.toEqual([]);
      },
      service[who],
    );
  },
);

const completeAiTask = step(
  fc.record({
    ...{ item: Nth, ofClaimed: flag, anyColumn: rarely, noColumn: rarely, who: Who, token: optional(Nth) },
    ...{ session: SessionTokens, takeOver: optional(flag) },
    userActions: optional(fc.constantFrom('- Look', '- Listen')),
  }),
  async (params, model, service) => {
    const { item: n, ofClaimed, anyColumn, noColumn, who, token, session, takeOver, userActions } = params;
    const held = heldItems(model);
    const item = ofClaimed && held.length > 0 ? nth(held, n) : itemAt(model, n);
    const review = columnsOf(model, item).find(({ step }) => step === 'Review');
    const column = anyColumn || !review ? nth(columnsOf(model, item), n) : review;
    const leaseToken =
      token === undefined || !hasTokens(model) ? undefined : (item.lease ?? tokenAt(model, token)).token;
    const reviewColumnId = noColumn ? undefined : column.id;
    const input = given({ workItemId: item.id, reviewColumnId, leaseToken, takeOver, userActions, ...session });
    await service.agree(
      'workItems.completeAiTask',
      input,
      (answer) => {
        const { to, recorded } = model.completeAiTask(input, now(), answer);
        const { totalTokens, costBasis } = recorded;
        const expected = { completed: true, workItemId: item.id, movedTo: to.name, totalTokens, costBasis };
        expect(answer).toMatchObject({ ...expected, estimatedCost: shownCost(recorded) });
      },
      service[who],
    );
  },
);

const claim = step(
  fc.record({
    of: optional(fc.array(Nth, { minLength: 1, maxLength: 3 })),
    agent: fc.constantFrom('Ada', 'Robot'),
    leaseSeconds: fc.constantFrom(60, 900, 3600),
    who: Who,
  }),
  async ({ of, agent, leaseSeconds, who }, model, service) => {
    const ids = of?.map((n) => itemAt(model, n).taskId);
    await service.agree(
      'workItems.claim',
      given({ ids, agent, leaseSeconds }),
      (answer) => {
        const claimable = model.claimable(ids, now());
        expect(answer?.claimed, `whether there is a task to claim: ${claimable.map(({ taskId }) => taskId)}`).toBe(
          claimable.length > 0,
        );
        if (!answer.workItem || !answer.lease) return expect(answer.reason).toEqual(expect.any(String));
        expect(claimable.map(({ taskId }) => taskId)).toContain(answer.workItem.taskId);
        expect(answer.rework !== undefined, 'whether it is to be mended').toBe(
          model.isRework(model.item(answer.workItem.id)),
        );
        const { token, expiresAt } = answer.lease;
        const learned = { id: answer.workItem.id, token, expiresAtMs: Date.parse(expiresAt) };
        const item = model.claim({ agent, leaseSeconds }, learned);
        expect(answer.workItem).toMatchObject(model.view(item));
      },
      service[who],
    );
  },
);

const renew = step(
  fc.record({ token: Nth, leaseSeconds: fc.integer({ min: 60, max: 3600 }) }),
  async ({ token: n, leaseSeconds }, model, service) => {
    const leaseToken = tokenAt(model, n).token;
    await service.agree('workItems.claim', { agent: 'Robot', leaseToken, leaseSeconds }, (answer) => {
      const expiresAtMs = answer.lease ? Date.parse(answer.lease.expiresAt) : 0;
      expect(answer.workItem).toMatchObject(
        model.view(model.renew({ leaseToken, leaseSeconds }, now(), { expiresAtMs })),
      );
    });
  },
  hasTokens,
);

const release = step(
  fc.record({ token: Nth, column: optional(Nth) }),
  async ({ token: n, column: at }, model, service) => {
    const { token: leaseToken, itemId: workItemId } = tokenAt(model, n);
    const boardColumnId = at === undefined ? undefined : nth(model.boards[0]?.columns ?? [], at).id;
    const input = given({ workItemId, leaseToken, boardColumnId });
    await service.agree('workItems.release', input, (answer) => {
      const released = model.release(input, now(), answer.workItem);
      expect(answer).toMatchObject({ released: true, workItem: model.view(released) });
    });
  },
  hasTokens,
);

interface Passing {
  readonly seconds: number;
  readonly isSettled: boolean;
}

/** Only the wall clock is advanced: the database's client waits with real timers. */
function goForward({ seconds, isSettled }: Passing): Promise<void> {
  return whileNobodyActs(async () => {
    vi.setSystemTime(now() + seconds * 1_000);
    // Usually at once; now and then something else comes first.
    if (!isSettled) return;
    // Time goes on meanwhile: what ends while this settles is for the next time.
    const at = new Date();
    await settleEndedLeases(at);
    for (const model of underWay) model.settle(at.getTime());
  });
}
const passTime = step(
  fc.record({ seconds: fc.oneof({ weight: 9, arbitrary: fc.nat(1200) }, fc.constant(25 * 3_600)), isSettled: flag }),
  goForward,
);

/** Besides `In Progress`. */
const MIN_COLUMNS = 4;

/** `In Progress` stays, since nothing can be claimed without it; any other may be renamed, moved, removed, or come back. */
const changeColumns = step(
  fc.record({
    board: Nth,
    how: fc.constantFrom('add', 'rename', 'reorder', 'remove', 'removeEmpty'),
    column: Nth,
    name: Nth,
  }),
  async ({ board: at, how, column: n, name: m }, model, service) => {
    const board = nth(model.boards, at);
    const free = NAMES.filter((each) => board.columns.every(({ name }) => name !== each));
    const columns: { id?: string; name: string }[] = board.columns.map((each) => ({ id: each.id, name: each.name }));
    const changeable = board.columns.filter((each) => each.step !== 'In Progress');
    const empty = changeable.filter(({ items }) => items.length === 0);
    const chosen = nth(how === 'removeEmpty' && empty.length > 0 ? empty : changeable, n);
    const index = board.columns.indexOf(chosen);
    const isFew = changeable.length < MIN_COLUMNS;
    if (free.length > 0 && (how === 'add' || isFew)) columns.splice(n % columns.length, 0, { name: nth(free, m) });
    else if (free.length > 0 && how === 'rename') columns.splice(index, 1, { id: chosen.id, name: nth(free, m) });
    else if (how === 'reorder') columns.splice(m % columns.length, 0, ...columns.splice(index, 1));
    else columns.splice(index, 1);
    await service.agree('boards.update', { id: board.id, columns }, (answer) => {
      model.changeColumns(board.id, columns, answer?.columns);
    });
  },
  () => true,
);

const changeProject = step(
  fc.record(
    { gates: fc.constantFrom(...GATES), dependencyMet: fc.constantFrom<DependencyMet>('review', 'testing', 'done') },
    { requiredKeys: [] },
  ),
  async (input, model, service) => {
    await service.agree('projects.update', { id: service.projectId, ...input }, () => model.changeProject(input));
  },
  () => true,
);

/** Often one that some of the work uses up. */
const setBudget = step(
  fc.record({ item: optional(Nth), limitUsd: fc.constantFrom(null, 0, 0.5, 5, 50, 500) }),
  async ({ item: n, limitUsd }, model, service) => {
    const having = [...model.items.values()].filter(({ type }) => type !== 'task' && type !== 'idea');
    const item = n === undefined || n % 5 === 0 ? undefined : having.length > 0 ? nth(having, n) : itemAt(model, n);
    const of = item ? { workItemId: item.id } : { projectId: service.projectId };
    await service.agree('workItems.setBudget', { ...of, limitUsd }, ({ budget }) => {
      model.setBudget(item, limitUsd);
      const shown = model.shownBudgets().find((each) => Object.is(Object.values(each)[0], item?.taskId ?? 'project'));
      expect(budget).toEqual(shown ?? null);
    });
  },
);

// What only reads.

const list = step(
  fc.record({
    ...{
      column: optional(Nth),
      board: optional(Nth),
      parent: optional(Nth),
      type: optional(Type),
      limit: fc.integer({ min: 1, max: 20 }),
    },
    ...{
      priority: optional(PriorityOf),
      assignee: optional(fc.constantFrom('Ada', 'Robot')),
      page: fc.integer({ min: 1, max: 3 }),
    },
    search: optional(fc.constantFrom('alph', 'alphabet', 'ga be', 'nothing')),
  }),
  async ({ column, board, parent, page, limit, ...filter }, model, service) => {
    const which = given({
      ...filter,
      boardId: board === undefined ? undefined : nth(model.boards, board).id,
      boardColumnId: column === undefined ? undefined : nth(allColumns(model), column).id,
      parentId: parent === undefined ? undefined : itemAt(model, parent).id,
    });
    await service.agree('workItems.list', { ...which, page, limit }, ({ workItems, pagination }) => {
      const expected = model.list(which);
      expect(workItems.map(({ taskId }) => taskId)).toEqual(
        expected.slice((page - 1) * limit, page * limit).map(({ taskId }) => taskId),
      );
      const total = expected.length;
      expect(pagination).toMatchObject({ page, limit, total, totalPages: Math.ceil(total / limit) });
    });
  },
);

const resolve = step(
  fc.record({
    ...{ items: fc.array(Nth, { minLength: 1, maxLength: 4 }), withUnknown: rarely, byTaskId: flag },
    ...{ includeLeafTasks: optional(flag), maxDepth: optional(fc.integer({ min: 1, max: 10 })) },
  }),
  async ({ items, withUnknown, byTaskId, includeLeafTasks, maxDepth }, model, service) => {
    const ids = [...items.map((n) => ref(itemAt(model, n), byTaskId)), ...(withUnknown ? ['nothing'] : [])];
    const answer = await service.ask('workItems.resolve', given({ ids, includeLeafTasks, maxDepth }));
    const expected = model.resolve(ids, includeLeafTasks ?? true, maxDepth ?? 3);
    expect(new Map(answer.items.map((item) => [item.id, item.resolvedFrom]))).toEqual(expected.resolvedFrom);
    for (const shown of answer.items) {
      const { id, taskId, title, type, columnName, version, parentId } = shown;
      expect(model.view(model.item(id))).toMatchObject({ taskId, title, type, columnName, version, parentId });
    }
    const { notFound, withoutLeafTasks, truncated } = answer;
    expect({ inputIds: answer.inputIds, notFound, withoutLeafTasks, truncated }).toEqual({
      inputIds: ids,
      notFound: expected.notFound,
      withoutLeafTasks: expected.withoutLeafTasks,
      truncated: expected.truncated,
    });
  },
);

const usage = step(fc.record({ item: optional(Nth) }), async ({ item: n }, model, service) => {
  const item = n === undefined ? undefined : itemAt(model, n);
  const { totals } = await service.ask('workItems.usage', item ? { workItemId: item.taskId } : {});
  expect(totals).toEqual(model.usage(item));
});

/** Steps of all kinds. Those that build and move are more frequent than those that remove. */
export const anyStep = fc.oneof(
  { weight: 14, arbitrary: create },
  { weight: 4, arbitrary: createInBacklog },
  { weight: 4, arbitrary: createTree },
  { weight: 5, arbitrary: createMany },
  { weight: 14, arbitrary: update },
  { weight: 20, arbitrary: move },
  { weight: 8, arbitrary: moveChildren },
  { weight: 4, arbitrary: batchMove },
  { weight: 3, arbitrary: remove },
  { weight: 3, arbitrary: comment },
  { weight: 2, arbitrary: answerQuestion },
  { weight: 8, arbitrary: progress },
  { weight: 2, arbitrary: changeProject },
  { weight: 2, arbitrary: setBudget },
  { weight: 1, arbitrary: useDeleted },
  { weight: 4, arbitrary: recordSession },
  { weight: 5, arbitrary: completeReview },
  { weight: 4, arbitrary: completeValidation },
  { weight: 6, arbitrary: completeAiTask },
  { weight: 10, arbitrary: claim },
  { weight: 2, arbitrary: renew },
  { weight: 4, arbitrary: release },
  { weight: 2, arbitrary: passTime },
  { weight: 3, arbitrary: changeColumns },
  { weight: 3, arbitrary: list },
  { weight: 3, arbitrary: resolve },
  { weight: 2, arbitrary: usage },
);
