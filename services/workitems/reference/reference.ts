import { isDeepStrictEqual } from 'node:util';
import { beforeModel, dollars, paidSoFar, restOf, shownCost, unsaidParts, usedBy } from './costs.ts';
import { isBarred, isMisfit } from './gates.ts';
import { isFaulty, isWithin, leadsTo, type PlannedItem } from './plans.ts';
import type {
  CascadedMove,
  Changes,
  Code,
  DependencyMet,
  Editable,
  Gates,
  ItemType,
  LeaseState,
  Metadata,
  ModelBoard,
  ModelColumn,
  ModelEvent,
  ModelItem,
  ModelLease,
  ModelSession,
  NewItem,
  Place,
  Priority,
  Report,
  Tokens,
  Usage,
  Used,
  Verdict,
  Who,
} from './records.ts';
import {
  AFTER_REVIEW,
  AFTER_VALIDATION,
  EARLIER_REVIEWS,
  HANDED_OVER,
  isHandedOver,
  isMet,
  isPending,
  LETTERS,
  MAX_TREE_LEVELS,
  merge,
  PARENTS,
  PRIORITIES,
  stepOf,
} from './tables.ts';

/**
 * The interface's promises about boards, work items, their history, gates, leases, AI usage and budgets, as the callers of one project see it. It is written
 * from the documentation and in the plainest way, so that the service can be checked against it. It imports nothing of the service, and nothing in it is fast.
 *
 * What only the service can know (ids, tokens, times) is given to the operations as `learned`. An operation that is to be refused throws Refused before it
 * looks at `learned` or changes anything.
 */

const EDITABLE = ['title', 'type', 'priority', 'dueDate', 'estimate', 'assignee', 'parentId', 'metadata'] as const;

/** With every code that would be correct, if an input is wrong in more than one way. */
export class Refused extends Error {
  readonly codes: readonly Code[];
  constructor(codes: readonly Code[]) {
    super(`refused with ${codes.join(' or ')}`);
    this.codes = codes;
  }
}

const PASSING: ReadonlySet<ModelEvent['eventType']> = new Set([
  'claimed',
  'released',
  'lease_expired',
  'progress',
  'ready',
  'dependency_returned',
]);

/** What a move by hand may say. */
interface Hand {
  readonly takeOver?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly force?: boolean | undefined;
}

/** A new item whose parent, if it has one, is named by its id. */
type Placed = NewItem & { readonly boardColumnId: string; readonly parentId: string | undefined };

const DAY_MS = 24 * 60 * 60 * 1_000;

/** What the model keeps of an item and the service shows elsewhere, or nowhere. */
const UNSEEN: ReadonlySet<string> = new Set<keyof ModelItem>([
  ...(['history', 'lease', 'isReturned', 'claimedBy', 'onReturnedBase'] as const),
  ...(['workedBy', 'handedOverBy', 'abandoned'] as const),
]);

function refuseIf(faults: readonly (readonly [boolean, Code])[]): void {
  const codes = faults.filter(([isFault]) => isFault).map(([, code]) => code);
  if (codes.length > 0) throw new Refused(codes);
}

export class Model {
  readonly key: string;
  readonly boards: ModelBoard[];
  /** In order of creation. */
  readonly items = new Map<string, ModelItem>();
  readonly deleted = new Map<string, ModelItem>();
  readonly sessions: ModelSession[] = [];
  gates: Gates = 'warn';
  dependencyMet: DependencyMet = 'review';
  /** Limits in micro-dollars, by the id of an item; that of the whole project by ''. */
  readonly budgets = new Map<string, number>();
  /** Of all claims, in order. */
  readonly tokens: { readonly token: string; readonly itemId: string }[] = [];
  /** The items that the last operations have written, which are to be checked. */
  readonly touched = new Set<string>();
  /** What the last operations have reported about items, in order: to be looked at. */
  readonly told: { readonly itemId: string; readonly what: ModelEvent['eventType'] }[] = [];
  /** Those that have been reported as claimable. */
  readonly #ready = new Set<string>();
  /** How many it has made. */
  steps = 0;
  /** Who does what is done next. */
  by: Who = { key: '', user: '' };
  #lastNumber = 0;

  constructor(key: string, boards: readonly { id: string; columns: readonly { id: string; name: string }[] }[]) {
    this.key = key;
    this.boards = boards.map(({ id, columns }) => ({
      id,
      columns: columns.map((column) => ({ ...column, step: stepOf(column.name), items: [] })),
    }));
  }

  // What can be read.

  /** @param ref an id or a task ID */
  item(ref: string): ModelItem {
    const item = this.find(ref);
    if (!item) throw new Refused(['NOT_FOUND']);
    return item;
  }

  find(ref: string): ModelItem | undefined {
    return this.items.get(ref) ?? [...this.items.values()].find(({ taskId }) => taskId === ref);
  }

  board({ boardId }: Pick<ModelItem, 'boardId'>): ModelBoard {
    return this.boards.find(({ id }) => id === boardId) as ModelBoard;
  }

  column(id: string): ModelColumn | undefined {
    return this.boards.flatMap(({ columns }) => columns).find((column) => column.id === id);
  }

  columnName(item: ModelItem): string {
    return (this.column(item.boardColumnId) as ModelColumn).name;
  }

  /** What its column is for. */
  step(item: ModelItem): string {
    return (this.column(item.boardColumnId) as ModelColumn).step;
  }

  /** Its task ID, even if it was deleted. */
  called(id: string): string {
    return (this.items.get(id) ?? this.deleted.get(id))?.taskId ?? id;
  }

  childrenOf(item: Pick<ModelItem, 'id'>): ModelItem[] {
    return [...this.items.values()].filter(({ parentId }) => parentId === item.id);
  }

  treeOf(item: ModelItem): ModelItem[] {
    return [item, ...this.childrenOf(item).flatMap((child) => this.treeOf(child))];
  }

  /** What lists show, in order. */
  list(filter: {
    boardId?: string;
    boardColumnId?: string;
    parentId?: string;
    type?: ItemType;
    priority?: Priority;
    assignee?: string;
    search?: string;
  }): ModelItem[] {
    const { boardColumnId, search, ...fields } = filter;
    const board = this.boards.find(({ columns }) => columns.some(({ id }) => id === boardColumnId));
    refuseIf([[board !== undefined && (filter.boardId ?? board.id) !== board.id, 'VALIDATION_FAILED']]);
    const all = boardColumnId
      ? (this.column(boardColumnId)?.items ?? []).map((id) => this.item(id))
      : [...this.items.values()].toReversed();
    const words = search?.toLowerCase().split(' ') ?? [];
    return all.filter(
      (item) =>
        Object.entries(fields).every(
          ([field, value]) => value === undefined || item[field as keyof ModelItem] === value,
        ) &&
        words.every((word) =>
          item.title
            .toLowerCase()
            .split(' ')
            .some((other) => other.startsWith(word)),
        ),
    );
  }

  resolve(ids: readonly string[], includeLeafTasks: boolean, maxDepth: number) {
    const resolvedFrom = new Map<string, string[]>();
    const notFound: string[] = [];
    const withoutLeafTasks: string[] = [];
    let truncated = false;
    const hasLeafTask = (item: ModelItem): boolean =>
      this.childrenOf(item).some((child) =>
        this.childrenOf(child).length === 0 ? child.type === 'task' : hasLeafTask(child),
      );
    const leavesBelow = (item: ModelItem, depth: number): ModelItem[] =>
      this.childrenOf(item).flatMap((child) => {
        const isLeaf = this.childrenOf(child).length === 0;
        if (!isLeaf && depth < maxDepth) return leavesBelow(child, depth + 1);
        if (!isLeaf) truncated = true;
        return child.type === 'task' ? [child] : [];
      });
    for (const input of new Set(ids)) {
      const item = this.find(input);
      const found = item && (includeLeafTasks && item.type !== 'task' ? leavesBelow(item, 1) : [item]);
      if (!found) notFound.push(input);
      else if (found.length === 0 && !hasLeafTask(item)) withoutLeafTasks.push(input);
      for (const { id } of found ?? []) resolvedFrom.set(id, [...(resolvedFrom.get(id) ?? []), input]);
    }
    return { resolvedFrom, notFound, withoutLeafTasks, truncated };
  }

  /** For everything, or for an item with everything below it. */
  usage(of?: ModelItem): Usage {
    const sessions = this.#sessionsOf(of);
    const sum = (field: keyof Omit<ModelSession, 'costBasis' | 'countedFor'>) =>
      sessions.reduce((total, session) => total + (session[field] ?? 0), 0);
    return {
      sessions: sessions.length,
      totalTokens: sum('totalTokens'),
      inputTokens: sum('inputTokens'),
      outputTokens: sum('outputTokens'),
      cachedInputTokens: sum('cachedInputTokens'),
      cacheWriteTokens: sum('cacheWriteTokens'),
      durationMs: sum('durationMs'),
      estimatedCost: dollars(sum('cost')),
      unpricedSessions: sessions.filter(({ cost }) => cost === null).length,
    };
  }

  #sessionsOf(of?: ModelItem): ModelSession[] {
    const ids = of && new Set(this.treeOf(of).map(({ id }) => id));
    return this.sessions.filter(({ countedFor }) => !ids || (countedFor !== null && ids.has(countedFor)));
  }

  /** Of all budgets, the project's first. */
  shownBudgets(): object[] {
    const ids = [...this.budgets.keys()].sort();
    return ids.map((id) => {
      const { limit, recorded, inFlight } = this.#budget(id);
      return {
        of: id === '' ? 'project' : this.item(id).taskId,
        limitUsd: limit / 1_000_000,
        period: 'total',
        spentUsd: (recorded + inFlight) / 1_000_000,
        spent: { recordedUsd: recorded / 1_000_000, inFlightUsd: inFlight / 1_000_000 },
        remainingUsd: Math.max(0, limit - recorded - inFlight) / 1_000_000,
      };
    });
  }

  /** The rests of the budgets that apply to an item, in micro-dollars, the least first. Under a used-up budget nothing can be claimed. */
  restsOver(item: ModelItem): number[] {
    const ids = ['', ...this.#ancestry(item).map(({ id }) => id)].filter((id) => this.budgets.has(id));
    const rests = ids.map((id) => this.#budget(id)).map(({ limit, recorded, inFlight }) => limit - recorded - inFlight);
    return rests.sort((a, b) => a - b);
  }

  /** What sessions have recorded, and what agents at work have told so far. */
  #budget(id: string): { readonly limit: number; readonly recorded: number; readonly inFlight: number } {
    const of = id === '' ? undefined : this.item(id);
    const recorded = this.#sessionsOf(of).reduce((sum, { cost }) => sum + (cost ?? 0), 0);
    const items = of ? this.treeOf(of) : [...this.items.values()];
    const inFlight = items.reduce((sum, { lease }) => sum + (lease?.report?.cost ?? 0), 0);
    return { limit: this.budgets.get(id) as number, recorded, inFlight };
  }

  #ancestry(item: ModelItem): ModelItem[] {
    return item.parentId === null ? [item] : [item, ...this.#ancestry(this.item(item.parentId))];
  }

  // What is set for the project.

  changeProject(input: { readonly gates?: Gates; readonly dependencyMet?: DependencyMet }): void {
    Object.assign(this, input);
  }

  /** @param of undefined: the project */
  setBudget(of: ModelItem | undefined, limitUsd: number | null): void {
    refuseIf([[of !== undefined && ['task', 'idea'].includes(of.type), 'VALIDATION_FAILED']]);
    const id = of?.id ?? '';
    if (limitUsd === null) this.budgets.delete(id);
    else this.budgets.set(id, limitUsd * 1_000_000);
    if (of) this.told.push({ itemId: of.id, what: 'updated' });
  }

  // What changes one item.

  create(input: NewItem & { readonly boardColumnId: string }, learned: { readonly id: string }): ModelItem {
    const parent = input.parentId === undefined ? null : this.item(input.parentId);
    const existing = this.#withExternalId(input.externalId);
    if (existing) return existing;
    if (parent) refuseIf([[!this.#mayHaveParent({ type: input.type }, parent), 'VALIDATION_FAILED']]);
    refuseIf([[parent !== null && this.#waitsFor(parent, input.metadata), 'VALIDATION_FAILED']]);
    const item = this.#place({ ...input, parentId: parent?.id }, learned.id);
    this.#add(item);
    return item;
  }

  /**
   * All or none. What has its external id already stays as it is, and is what its ref stands for.
   * @param learned in the order of the call
   */
  createMany(items: readonly PlannedItem[], learned: readonly { readonly id: string }[]): ModelItem[] {
    const existing = items.map(({ externalId }) => this.#withExternalId(externalId));
    const plan = items.map((item, index) => {
      const inMetadata = (item.metadata?.dependsOn ?? []) as string[];
      const written = [item.parentId ?? [], item.dependsOn ?? inMetadata].flat();
      refuseIf([[isFaulty(item, items), 'VALIDATION_FAILED']]);
      const isUnknown = written.some((ref) => !isWithin(ref) && !this.find(ref));
      refuseIf([[!existing[index] && isUnknown, 'VALIDATION_FAILED']]);
      const boardColumnId = item.boardColumnId ?? this.#backlog()?.id;
      return { ...item, existing: existing[index], boardColumnId };
    });
    const parentOf = ({ parentId }: PlannedItem) => {
      const planned = plan.find(({ ref }) => parentId === `#${ref}`);
      return { planned, stored: planned?.existing ?? (parentId === undefined ? undefined : this.find(parentId)) };
    };
    const levelOf = (item: PlannedItem): number => {
      const { planned, stored } = parentOf(item);
      return 1 + (stored ? this.#depthOf(stored) : planned ? levelOf(planned) : 0);
    };
    const storedOf = (ref: string) =>
      isWithin(ref) ? plan.find((each) => ref === `#${each.ref}`)?.existing : this.find(ref);
    type Waiting = (typeof plan)[number] | ModelItem;
    const isPlanned = (item: Waiting): item is (typeof plan)[number] => plan.includes(item as (typeof plan)[number]);
    const childrenIn = (item: Waiting) =>
      plan.filter((each) => !each.existing && Object.values(parentOf(each)).includes(item as ModelItem));
    const waitsFor = (item: Waiting): Waiting[] => {
      if (!isPlanned(item)) return [...childrenIn(item), ...this.#nextOf(item)];
      const written = item.dependsOn ?? ((item.metadata?.dependsOn ?? []) as string[]);
      const inCall = plan.filter(({ ref, existing: stored }) => !stored && written.includes(`#${ref}`));
      return [...childrenIn(item), ...inCall, ...written.flatMap((ref) => storedOf(ref) ?? [])];
    };
    for (const item of plan) {
      refuseIf([[item.boardColumnId === undefined, 'VALIDATION_FAILED']]);
      const { planned, stored } = parentOf(item);
      const above = stored ?? planned;
      const isMisplaced = above !== undefined && !PARENTS[item.type].includes(above.type);
      refuseIf([[!item.existing && (isMisplaced || levelOf(item) > MAX_TREE_LEVELS), 'VALIDATION_FAILED']]);
      refuseIf([[!item.existing && leadsTo<Waiting>(item, item, waitsFor), 'VALIDATION_FAILED']]);
    }
    const idOf = (item: PlannedItem) => learned[plan.findIndex(({ ref }) => ref === item.ref)]?.id as string;
    const result = plan.map((item, index) => {
      const { planned, stored } = parentOf(item);
      const parentId = stored?.id ?? (planned && idOf(planned));
      return item.existing ?? this.#place({ ...item, parentId } as Placed, learned[index]?.id as string);
    });
    const named = (written: string) =>
      isWithin(written) ? (result[plan.findIndex(({ ref }) => written === `#${ref}`)]?.taskId as string) : written;
    const made = result.filter((_, index) => !existing[index]);
    for (const [index, item] of result.entries()) {
      const { dependsOn } = items[index] as PlannedItem;
      if (existing[index] || !dependsOn) continue;
      item.metadata = { ...item.metadata, dependsOn: [...new Set(dependsOn.map(named))] };
    }
    // Which of those that were created at once is the newest is not specified.
    for (const item of made.toSorted((a, b) => (a.id < b.id ? -1 : 1))) this.#add(item);
    return result;
  }

  /** In its column, with the next number; nobody can refer to it yet. */
  #place(input: Placed, id: string): ModelItem {
    const board = this.boards.find(({ columns }) => columns.some(({ id }) => id === input.boardColumnId)) as ModelBoard;
    this.column(input.boardColumnId)?.items.push(id);
    return {
      id,
      taskId: `${this.key}-${LETTERS[input.type]}-${++this.#lastNumber}`,
      boardId: board.id,
      boardColumnId: input.boardColumnId,
      title: input.title,
      type: input.type,
      priority: input.priority ?? 'medium',
      dueDate: input.dueDate ?? null,
      estimate: input.estimate ?? null,
      assignee: input.assignee || null,
      parentId: input.parentId ?? null,
      externalId: input.externalId ?? null,
      metadata: merge({}, input.metadata ?? {}),
      isAiProcessing: false,
      version: 1,
      lease: null,
      claimedBy: null,
      workedBy: null,
      handedOverBy: null,
      abandoned: null,
      isReturned: false,
      onReturnedBase: [],
      history: [],
    };
  }

  #add(item: ModelItem): void {
    this.items.set(item.id, item);
    this.#record(item, [{ eventType: 'created', data: this.view(item) }]);
  }

  #withExternalId(externalId: string | undefined): ModelItem | undefined {
    return externalId === undefined
      ? undefined
      : [...this.items.values()].find((each) => each.externalId === externalId);
  }

  /** Where work starts, if it is not said. */
  #backlog(): ModelColumn | undefined {
    const columns = this.boards[0]?.columns ?? [];
    return columns.find(({ step }) => step === 'Backlog') ?? columns.find(({ step }) => step === 'To Do');
  }

  /** The shortcut creators: in the `Backlog` of the project's default board. */
  createInBacklog(
    input: { title: string; type: ItemType; parentId?: string },
    learned: { readonly id: string },
  ): ModelItem {
    const backlog = this.#backlog();
    if (!backlog) throw new Refused(['VALIDATION_FAILED', 'NOT_FOUND']);
    return this.create({ ...input, boardColumnId: backlog.id }, learned);
  }

  /** What is not given, or does not differ, stays; if nothing differs, it is not a change. */
  update(
    input: Partial<Editable> & {
      readonly id: string;
      readonly boardColumnId?: string;
      readonly version?: number;
    } & Hand,
  ): ModelItem {
    const item = this.item(input.id);
    const { id: _, boardColumnId, version, takeOver, reason, force, ...fields } = input;
    const wanted: Editable = {
      ...item,
      ...fields,
      assignee: fields.assignee === undefined ? item.assignee : fields.assignee || null,
      parentId: fields.parentId ? this.item(fields.parentId).id : fields.parentId === null ? null : item.parentId,
      metadata: merge(item.metadata, fields.metadata ?? {}),
    };
    const parent = wanted.parentId === null ? null : this.item(wanted.parentId);
    const to =
      boardColumnId === undefined ? undefined : this.board(item).columns.find(({ id }) => id === boardColumnId);
    refuseIf([
      [version !== undefined && version !== item.version, 'CONFLICT'],
      [boardColumnId !== undefined && !to, 'VALIDATION_FAILED'],
      [parent !== null && !this.#mayHaveParent({ ...item, type: wanted.type }, parent), 'VALIDATION_FAILED'],
      [this.childrenOf(item).some(({ type }) => !PARENTS[type].includes(wanted.type)), 'VALIDATION_FAILED'],
    ]);
    refuseIf([
      [this.#closesCycle(item, wanted.metadata, parent), 'VALIDATION_FAILED'],
      [this.#isBarredAs(item, wanted.type, to ?? (this.column(item.boardColumnId) as ModelColumn)), 'CONFLICT'],
    ]);
    const differing = EDITABLE.filter((field) => !isDeepStrictEqual(wanted[field], item[field]));
    const changes = Object.fromEntries(differing.map((field) => [field, wanted[field]])) as Changes;
    const isMoved = to && to.id !== item.boardColumnId;
    const hand = isMoved ? this.#byHand(item, to, { takeOver, reason, force }) : undefined;
    const events = updated(
      Object.fromEntries(differing.map((field) => [field, { from: item[field], to: wanted[field] }])),
    );
    const left = to && this.#verdictLeft(item, to);
    if (isMoved) this.#move(item, to, { changes: { ...hand?.changes, ...changes }, events, data: hand?.data });
    else if (differing.length > 0) {
      this.#change(item, { ...changes, ...(changes.assignee && { isReturned: false }) }, events);
    }
    const dependsOn = (item.metadata.dependsOn ?? []) as string[];
    item.onReturnedBase = item.onReturnedBase.filter(({ id }) => dependsOn.some((ref) => this.find(ref)?.id === id));
    if (item.type === 'task' || item.type === 'idea') this.budgets.delete(item.id);
    if (left) this.#tellOfReturn(item, left);
    return item;
  }

  move(
    input: {
      readonly workItemId: string;
      readonly boardColumnId: string;
      readonly isAutoSync?: boolean;
      readonly setAiProcessing?: boolean;
      readonly aiProvider?: string;
      readonly position?: Place;
    } & Hand,
  ): { readonly item: ModelItem; readonly fromColumn: string; readonly cascaded: readonly CascadedMove[] } {
    const item = this.item(input.workItemId);
    const to = this.board(item).columns.find(({ id }) => id === input.boardColumnId);
    const place = input.position ?? 'last';
    const anchor = typeof place === 'object' ? this.item(place.after) : undefined;
    refuseIf([
      [!to, 'VALIDATION_FAILED'],
      [anchor !== undefined && (anchor.boardColumnId !== to?.id || anchor.id === item.id), 'VALIDATION_FAILED'],
      [to !== undefined && this.#isRefusedByHand(item, to, input), 'CONFLICT'],
    ]);
    const hand = this.#byHand(item, to as ModelColumn, input);
    const left = this.#verdictLeft(item, to as ModelColumn);
    const fromColumn = this.columnName(item);
    const provider = input.setAiProcessing && input.aiProvider !== undefined ? { aiProvider: input.aiProvider } : {};
    const cascaded = this.#move(item, to as ModelColumn, {
      changes: {
        ...hand.changes,
        ...(input.setAiProcessing && { isAiProcessing: true }),
        metadata: merge(item.metadata, provider),
      },
      data: hand.data,
      isAutoSync: input.isAutoSync === true,
      place: anchor ? { after: anchor.id } : place,
    });
    if (left) this.#tellOfReturn(item, left);
    return { item, fromColumn, cascaded };
  }

  comment(
    input: { readonly workItemId: string; readonly text: string; readonly leaseToken?: string },
    nowMs: number,
  ): void {
    const { workItemId, text, leaseToken } = input;
    const item = this.item(workItemId);
    const isOwn = leaseToken !== undefined;
    refuseIf([[isOwn && !(this.#isHeld(item, nowMs) && item.lease?.token === leaseToken), 'CONFLICT']]);
    if (!isOwn) this.#answer(item, text);
    this.#record(item, [{ eventType: 'comment', data: { text } }]);
  }

  answer({ workItemId, text }: { readonly workItemId: string; readonly text: string }, nowMs: number): void {
    const item = this.item(workItemId);
    const isAwaited = this.#isHeld(item, nowMs) && item.lease?.state === 'awaiting_input';
    refuseIf([[!isAwaited, 'CONFLICT']]);
    this.#answer(item, text);
    this.#record(item, [{ eventType: 'comment', data: { text, answer: true } }]);
  }

  /** Others always say something to the agent; what its own key says is an answer once it has asked. */
  #answer({ lease }: ModelItem, text: string): void {
    if (lease && (lease.key !== this.by.key || lease.askedAtMs !== undefined)) lease.answers.push(text);
  }

  /** Children lose their parent, lists of dependencies the item; what the work cost counts towards the deleted item's parent. */
  delete(id: string): ModelItem {
    const item = this.item(id);
    for (const other of this.items.values()) {
      const isChild = other.parentId === item.id;
      const list = other.metadata.dependsOn as string[] | undefined;
      const left = list?.filter((ref) => this.find(ref) !== item);
      const isShorter = left?.length !== list?.length;
      other.onReturnedBase = other.onReturnedBase.filter((base) => base.id !== item.id);
      if (other === item || !(isChild || isShorter)) continue;
      const metadata = isShorter ? { ...other.metadata, dependsOn: left } : other.metadata;
      this.#change(
        other,
        { ...(isChild && { parentId: null }), metadata },
        updated({
          ...(isChild && { parentId: { from: item.id, to: null } }),
          ...(isShorter && { metadata: { from: other.metadata, to: metadata } }),
        }),
      );
    }
    this.#takeOut(item);
    this.#expire(item);
    this.#ready.delete(item.id);
    const left = this.#abandon(item);
    this.#record(item, [...left, { eventType: 'deleted', data: { taskId: item.taskId, title: item.title } }]);
    for (const session of this.sessions) if (session.countedFor === item.id) session.countedFor = item.parentId;
    this.budgets.delete(item.id);
    this.items.delete(item.id);
    this.deleted.set(item.id, item);
    return item;
  }

  // Completions and sessions.

  recordSession(input: Report & { readonly workItemId: string }, learned: { readonly sessionId: string }): void {
    const item = this.item(input.workItemId);
    this.#record(item, [this.#keep(item, usedBy(input, undefined), input, learned.sessionId)]);
  }

  completeReview(
    input: {
      workItemId: string;
      result: 'pass' | 'fail';
      summary: string;
      issues: string[];
      reviewedFiles: string[];
      takeOver?: boolean;
    },
    learned: { readonly reviewedAt: unknown },
  ): { readonly item: ModelItem; readonly fromColumn: string; readonly to: ModelColumn; readonly isMisfit: boolean } {
    const { workItemId, takeOver, ...review } = input;
    const item = this.item(workItemId);
    const to = this.#columnFor(item, ...(review.result === 'pass' ? AFTER_REVIEW : ['In Progress']));
    refuseIf([[!to, 'VALIDATION_FAILED']]);
    const misfits = this.#misfits('review', item, review.result === 'pass', true);
    const taken = this.#taken(item, to as ModelColumn, takeOver);
    const fromColumn = this.columnName(item);
    const {
      review: before,
      reviewHistory = [],
      ...rest
    } = item.metadata as { reviewHistory?: unknown[]; review?: unknown };
    const earlier = [...reviewHistory, ...(before ? [before] : [])].slice(-EARLIER_REVIEWS);
    const metadata = {
      ...rest,
      review: { ...review, reviewedAt: learned.reviewedAt },
      ...(earlier.length > 0 && { reviewHistory: earlier }),
    };
    this.#move(item, to as ModelColumn, {
      changes: {
        ...taken,
        isAiProcessing: false,
        metadata,
        ...this.#sentBack(item, review.result === 'fail', to as ModelColumn),
      },
      events: updated({ metadata: { from: item.metadata, to: metadata } }),
    });
    if (review.result === 'fail' && item.type === 'task') this.#tellOfReturn(item, 'review');
    else if (review.result === 'pass') this.#tellOfPass(item, ['review']);
    return { item, fromColumn, to: to as ModelColumn, isMisfit: misfits };
  }

  completeValidation(
    input: Report & {
      readonly workItemId: string;
      readonly toDocumentColumnId?: string;
      readonly validatingColumnId?: string;
      readonly documentation?: Metadata;
      readonly testResults?: { readonly passed?: number; readonly failed?: number };
      readonly takeOver?: boolean;
    },
    learned: { readonly sessionId: string },
  ): {
    readonly item: ModelItem;
    readonly fromColumn: string;
    readonly to: ModelColumn;
    readonly passed: boolean;
    readonly redirected: boolean;
    readonly isMisfit: boolean;
  } {
    const item = this.item(input.workItemId);
    const { columns } = this.board(item);
    const passed = (input.testResults?.failed ?? 0) === 0;
    const givenId = input.toDocumentColumnId ?? input.validatingColumnId;
    const given = columns.find(({ id }) => id === givenId);
    const toDocument = this.#columnFor(item, ...AFTER_VALIDATION);
    const redirected = passed && given?.step === 'Validating' && toDocument !== undefined;
    const to = !passed ? this.#columnFor(item, 'In Progress') : redirected ? toDocument : (given ?? toDocument);
    refuseIf([
      [givenId !== undefined && !given, 'VALIDATION_FAILED'],
      [!to, 'VALIDATION_FAILED'],
    ]);
    const misfits = this.#misfits('validation', item, passed, input.testResults !== undefined);
    const fromColumn = this.columnName(item);
    const patch = {
      ...(input.documentation && { documentation: input.documentation }),
      ...(input.testResults && { testResults: input.testResults }),
    };
    const taken = this.#taken(item, to as ModelColumn, input.takeOver);
    const session = this.#keep(item, usedBy(input, undefined), input, learned.sessionId);
    this.#complete(item, to as ModelColumn, patch, session, {
      ...taken,
      ...this.#sentBack(item, !passed, to as ModelColumn),
    });
    if (passed) this.#tellOfPass(item, ['review', 'validation']);
    else if (item.type === 'task') this.#tellOfReturn(item, 'validation');
    return { item, fromColumn, to: to as ModelColumn, passed, redirected, isMisfit: misfits };
  }

  completeAiTask(
    input: Report & {
      readonly workItemId: string;
      readonly reviewColumnId?: string;
      readonly userActions?: string;
      readonly leaseToken?: string;
      readonly takeOver?: boolean;
    },
    nowMs: number,
    learned: { readonly sessionId: string },
  ): { readonly to: ModelColumn; readonly recorded: Used } {
    const item = this.item(input.workItemId);
    const { columns } = this.board(item);
    const given = columns.find(({ id }) => id === input.reviewColumnId);
    const to = input.reviewColumnId === undefined ? this.#columnFor(item, ...HANDED_OVER) : given;
    const { lease, abandoned } = item;
    const isHeldByAnother = this.#isHeld(item, nowMs) && lease?.key !== this.by.key;
    const isTaken = isHeldByAnother && input.takeOver === true;
    refuseIf([
      [input.reviewColumnId === undefined ? !to : to?.step !== 'Review', 'VALIDATION_FAILED'],
      [input.leaseToken === undefined ? isHeldByAnother && !isTaken : lease?.token !== input.leaseToken, 'CONFLICT'],
    ]);
    const isHolder = input.leaseToken === undefined ? lease?.key === this.by.key : lease?.token === input.leaseToken;
    const held = isHolder ? lease : null;
    const taken = isTaken && input.leaseToken === undefined ? this.#taken(item, to as ModelColumn, true) : {};
    // Also after its lease has ended, until somebody else claims, it is the same session.
    const before = held?.report ? undefined : abandoned?.key === this.by.key ? abandoned : undefined;
    const recorded = restOf(usedBy(input, held?.report ?? before), before);
    const durationMs = Math.max(0, (input.durationMs ?? 0) - (before?.durationMs ?? 0));
    const session = this.#keep(item, recorded, { ...input, durationMs }, learned.sessionId);
    const patch = input.userActions === undefined ? {} : { userActions: input.userActions };
    const handedOver = this.#handedOver(item, to as ModelColumn, this.by);
    const changes = { ...taken, lease: null, workedBy: this.by, ...handedOver, ...(before && { abandoned: null }) };
    this.#complete(item, to as ModelColumn, patch, session, changes, held !== null);
    return { to: to as ModelColumn, recorded };
  }

  // Leases.

  /**
   * The tasks that a claim may take, best first: ready, then by priority, then in board order. Which of two boards comes first is not
   * specified, so there may be one for each.
   */
  claimable(ids: readonly string[] | undefined, nowMs: number): ModelItem[] {
    const named =
      ids && [...this.resolve(ids, true, Number.POSITIVE_INFINITY).resolvedFrom.keys()].map((id) => this.item(id));
    refuseIf([[named?.length === 0, 'NOT_FOUND']]);
    const candidates = named ?? [...this.items.values()].filter((item) => this.childrenOf(item).length === 0);
    const isAffordable = (item: ModelItem) => (this.restsOver(item)[0] ?? 1) > 0;
    const ready = candidates.filter((item) => item.type === 'task' && this.#isReady(item, nowMs) && isAffordable(item));
    const priority = PRIORITIES.find((each) => ready.some((item) => item.priority === each));
    const toMend = ready.filter((item) => item.priority === priority && this.isRework(item));
    if (toMend.length > 0) return toMend;
    return this.boards.flatMap(
      ({ columns }) =>
        columns
          .flatMap(({ items }) => items)
          .flatMap((id) => ready.find((item) => item.id === id && item.priority === priority) ?? [])[0] ?? [],
    );
  }

  claim(
    { agent, leaseSeconds }: { readonly agent: string; readonly leaseSeconds: number },
    learned: { readonly id: string; readonly token: string; readonly expiresAtMs: number },
  ): ModelItem {
    const item = this.item(learned.id);
    const { boardColumnId, assignee, isAiProcessing, claimedBy, isReturned } = item;
    const before = {
      ...(item.lease?.before ?? { boardColumnId, assignee, isAiProcessing, claimedBy }),
      isReturned: isReturned || item.lease?.before.isReturned === true,
    };
    const { token, expiresAtMs } = learned;
    this.tokens.push({ token, itemId: item.id });
    const lease: ModelLease = {
      ...{ token, key: this.by.key, user: this.by.user, agent, leaseSeconds, expiresAtMs, before },
      ...{ claimedAtMs: expiresAtMs - leaseSeconds * 1_000, isSettled: false, state: 'working' },
      ...{ answers: [], notices: [] },
    };
    const held = { assignee: agent, claimedBy: agent, isAiProcessing: true, lease, isReturned: false };
    const changes = { ...held, workedBy: this.by };
    const events: ModelEvent[] = [
      ...(assignee === agent ? [] : updated({ assignee: { from: assignee, to: agent } })),
      { eventType: 'claimed', data: {} },
    ];
    const to = this.#columnFor(item, 'In Progress') as ModelColumn;
    if (this.step(item) === 'In Progress') this.#change(item, changes, events);
    else this.#move(item, to, { changes, events });
    return item;
  }

  renew(
    { leaseToken, leaseSeconds }: { readonly leaseToken: string; readonly leaseSeconds: number },
    nowMs: number,
    learned: { readonly expiresAtMs: number },
  ): ModelItem {
    const item = [...this.items.values()].find(({ lease }) => lease?.token === leaseToken);
    refuseIf([[!item || !this.#isHeld(item, nowMs), 'CONFLICT']]);
    Object.assign((item as ModelItem & { lease: ModelLease }).lease, { ...learned, leaseSeconds });
    return item as ModelItem;
  }

  /** A heartbeat. What it reports never decreases. @param learned when it was heard */
  progress(
    input: Partial<Tokens> & {
      readonly workItemId: string;
      readonly leaseToken: string;
      readonly state?: LeaseState;
      readonly question?: string;
      readonly model?: string;
    },
    nowMs: number,
    learned: { readonly atMs: number },
  ): { readonly lease: ModelLease; readonly answers: string[]; readonly notices: string[] } {
    const item = this.item(input.workItemId);
    const { question } = input;
    const isLive = this.#isHeld(item, nowMs) && item.lease?.token === input.leaseToken;
    const state = input.state ?? item.lease?.state ?? 'working';
    refuseIf([[!isLive, 'CONFLICT']]);
    refuseIf([[question !== undefined && state !== 'awaiting_input', 'VALIDATION_FAILED']]);
    const lease = item.lease as ModelLease;
    const from = lease.state;
    const isAsked = question !== undefined && question !== lease.question;
    const { report, leaseSeconds } = lease;
    const { model = report?.model ?? 'unknown', ...given } = input;
    const paid = paidSoFar(given, report?.paid);
    const isPaid = given.costUsd !== undefined && paid !== undefined;
    const tokens = { ...given, ...unsaidParts(given, report), ...(isPaid && { costUsd: paid / 1_000_000 }) };
    const isInParts = tokens.inputTokens !== undefined || tokens.outputTokens !== undefined;
    const inParts = isInParts ? (tokens.inputTokens ?? 0) + (tokens.outputTokens ?? 0) : undefined;
    const ofPaid = tokens.costUsd === undefined ? undefined : (report?.totalTokens ?? 0);
    const totalTokens = tokens.totalTokens ?? inParts ?? ofPaid;
    const answers = lease.answers.splice(0);
    const notices = lease.notices.splice(0);
    if (totalTokens !== undefined && totalTokens >= (report?.totalTokens ?? 0)) {
      const used = usedBy({ ...tokens, totalTokens, model }, report);
      lease.report = { ...used, model, earlier: beforeModel(report, model), paid, atMs: learned.atMs };
    }
    if (state === 'awaiting_input' && (isAsked || from !== state)) lease.askedAtMs = learned.atMs;
    if (isAsked) Object.assign(lease, { question });
    const isAsking = state === 'awaiting_input' && lease.question !== undefined;
    const answeredByMs = isAsking ? (lease.askedAtMs as number) + DAY_MS : 0;
    const expiresAtMs = Math.max(learned.atMs + leaseSeconds * 1_000, answeredByMs);
    Object.assign(lease, { state, expiresAtMs });
    const asked: ModelEvent[] = isAsked ? [{ eventType: 'comment', data: { text: question, question: true } }] : [];
    if (state === from) this.#record(item, asked);
    else {
      const changes = updated({ leaseState: { from, to: state } });
      this.#change(item, {}, [...changes, { eventType: 'progress', data: {} }, ...asked]);
    }
    return { lease, answers, notices };
  }

  /** @param learned where it went: a column that it was claimed from may be gone, and then nothing is specified */
  release(
    input: { readonly workItemId: string; readonly leaseToken: string; readonly boardColumnId?: string },
    nowMs: number,
    learned: { readonly boardColumnId: string },
  ): ModelItem {
    const item = this.item(input.workItemId);
    const { columns } = this.board(item);
    const given = columns.find(({ id }) => id === input.boardColumnId);
    refuseIf([
      [!this.#isHeld(item, nowMs) || item.lease?.token !== input.leaseToken, 'CONFLICT'],
      [input.boardColumnId !== undefined && !given, 'VALIDATION_FAILED'],
      [given !== undefined && this.#isBarred(item, given, false), 'CONFLICT'],
    ]);
    const { boardColumnId, isReturned, ...before } = (item.lease as ModelLease).before;
    const back =
      columns.find(({ id }) => id === boardColumnId) ?? columns.find(({ id }) => id === learned.boardColumnId);
    const events: ModelEvent[] = [{ eventType: 'released', data: {} }];
    const to = given ?? (back as ModelColumn);
    const isThere = to.step === 'In Progress' || (isPending(to.step) && to.id === boardColumnId);
    const handedOver = this.#handedOver(item, to);
    const changes = { ...before, lease: null, isReturned: isReturned && isThere, ...handedOver };
    this.#move(item, to, { changes, events });
    return item;
  }

  /** What the service itself does with leases that have expired. */
  settle(nowMs: number): void {
    for (const item of this.items.values()) {
      if (this.#expire(item, nowMs)) this.#record(item, this.#abandon(item));
    }
    this.followReadiness();
  }

  /** Called after each operation: it reports every task that became claimable. */
  followReadiness(): void {
    for (const item of this.items.values()) {
      const isReady = item.type === 'task' && this.childrenOf(item).length === 0 && this.#isKnownReady(item);
      if (!isReady) this.#ready.delete(item.id);
      else if (!this.#ready.has(item.id)) {
        this.#ready.add(item.id);
        this.#record(item, [{ eventType: 'ready', data: {} }]);
      }
    }
  }

  // What changes many.

  /** @param positionOf as it was before: a bulk move leaves positions as they are */
  batchMove(
    input: {
      workItemIds: readonly string[];
      boardColumnId: string;
      fromColumnId?: string;
      setAiProcessing?: boolean;
      aiProvider?: string;
    } & Hand,
    positionOf: (id: string) => number,
  ): { readonly moved: ModelItem[]; readonly skipped: string[] } {
    const to = this.column(input.boardColumnId);
    const board = this.boards.find(({ columns }) => columns.includes(to as ModelColumn));
    const refs = [...new Set(input.workItemIds)];
    const isMoving = (ref: string) => {
      const item = this.find(ref);
      if (item === undefined || item.boardId !== board?.id) return false;
      if (input.fromColumnId !== undefined && item.boardColumnId !== input.fromColumnId) return false;
      return !this.#isRefusedByHand(item, to as ModelColumn, input);
    };
    const skipped = refs.filter((ref) => !isMoving(ref));
    const moved = [...new Set(refs.filter(isMoving).map((ref) => this.item(ref)))];
    const provider = input.setAiProcessing && input.aiProvider !== undefined ? { aiProvider: input.aiProvider } : {};
    const returned = moved.map((item) => [item, this.#verdictLeft(item, to as ModelColumn)] as const);
    for (const item of moved) {
      const hand = this.#byHand(item, to as ModelColumn, input);
      const data = { fromColumn: this.columnName(item), toColumn: to?.name, batch: true, ...hand.data };
      this.#takeOut(item);
      item.boardColumnId = input.boardColumnId;
      this.#change(
        item,
        {
          metadata: merge(item.metadata, provider),
          ...(input.setAiProcessing && { isAiProcessing: true }),
          ...(to?.step !== 'In Progress' && { lease: null }),
          ...(data.fromColumn !== data.toColumn && { isReturned: false }),
          ...hand.changes,
          ...(input.setAiProcessing && { isAiProcessing: true }),
        },
        [{ eventType: 'moved', data }],
      );
      to?.items.push(item.id);
    }
    for (const [item, left] of returned) if (left) this.#tellOfReturn(item, left);
    if (to?.step === 'Done') for (const item of moved) this.#tellOfPass(item, ['review', 'validation']);
    to?.items.sort((a, b) => positionOf(a) - positionOf(b) || (a < b ? -1 : 1));
    return { moved, skipped };
  }

  /** The whole list of columns in its new order. */
  changeColumns(
    boardId: string,
    wanted: readonly { readonly id?: string; readonly name: string }[],
    learned: readonly { readonly id: string }[],
  ): void {
    const board = this.boards.find(({ id }) => id === boardId) as ModelBoard;
    const removed = board.columns.filter(({ id }) => !wanted.some((column) => column.id === id));
    refuseIf([[removed.some(({ items }) => items.length > 0), 'CONFLICT']]);
    board.columns = wanted.map(({ id, name }, index) => {
      const before = board.columns.find((column) => column.id === id);
      const step = before?.step ?? stepOf(name);
      return { id: before?.id ?? (learned[index]?.id as string), name, step, items: before?.items ?? [] };
    });
  }

  /** What is shown of an item, except for its position's number and its times. */
  view(item: ModelItem): Record<string, unknown> {
    const shown = Object.entries(item).filter(([field]) => !UNSEEN.has(field));
    // It ends with the lease, whoever notices when.
    const hasJustEnded = item.lease !== null && !item.lease.isSettled && !this.#isHeld(item, Date.now());
    const isAiProcessing = item.isAiProcessing && !hasJustEnded;
    return { ...Object.fromEntries(shown), columnName: this.columnName(item), isAiProcessing };
  }

  /** The task IDs of the bases that were sent back under it. */
  basesOf({ onReturnedBase }: ModelItem): string[] {
    return onReturnedBase.map(({ id }) => this.item(id).taskId);
  }

  // The rules.

  #isAnothers(item: ModelItem, to: ModelColumn, takeOver = false): boolean {
    const isHeld = this.#isHeld(item, Date.now()) && item.lease?.key !== this.by.key;
    return isHeld && to.step !== 'In Progress' && !takeOver;
  }

  /** Another's live lease ends only if that is said; what it had set ends with it. */
  #taken(item: ModelItem, to: ModelColumn, takeOver = false): Changes {
    refuseIf([[this.#isAnothers(item, to, takeOver), 'CONFLICT']]);
    const { lease } = item;
    if (!lease || !this.#isHeld(item, Date.now()) || lease.key === this.by.key || to.step === 'In Progress') return {};
    const { assignee, claimedBy, isAiProcessing } = lease.before;
    return { assignee, claimedBy, isAiProcessing };
  }

  /** A task that leaves what is judged for where work begins has been sent back. */
  #byHand(
    item: ModelItem,
    to: ModelColumn,
    { takeOver, reason, force }: Hand,
  ): { readonly changes: Changes; readonly data: object } {
    refuseIf([[this.#isBarred(item, to, force), 'CONFLICT']]);
    const isReturn = this.#verdictLeft(item, to) !== undefined;
    return {
      changes: {
        ...this.#taken(item, to, takeOver),
        ...this.#handedOver(item, to),
        ...(isReturn && { isAiProcessing: false, isReturned: true }),
      },
      data: { ...(reason !== undefined && { reason }), ...(force && { force }) },
    };
  }

  /** The holder, or else the mover, when the task gets to its review or further for the first time. */
  #handedOver(item: ModelItem, to: ModelColumn, by?: Who): Pick<Changes, 'handedOverBy'> {
    if (isHandedOver(this.step(item)) || !isHandedOver(to.step)) return {};
    if (!by && item.isReturned) return {};
    const { lease } = item;
    const holder = lease && this.#isHeld(item, Date.now()) ? { key: lease.key, user: lease.user } : this.by;
    return { handedOverBy: by ?? holder };
  }

  #isRefusedByHand(item: ModelItem, to: ModelColumn, { takeOver, force }: Hand): boolean {
    return this.#isAnothers(item, to, takeOver) || this.#isBarred(item, to, force);
  }

  /** Gates are for tasks. */
  #isBarred(item: ModelItem, to: ModelColumn, force = false): boolean {
    const hasReview = this.board(item).columns.some(({ step }) => step === 'Review');
    const isGated = this.gates === 'enforce' && item.type === 'task' && !force;
    return isGated && isBarred(this.step(item), to.step, hasReview);
  }

  /** Gates are for tasks: nothing becomes one behind them, or ceases to be one while it is judged. */
  #isBarredAs(item: ModelItem, type: ItemType, to: ModelColumn): boolean {
    const isOther = (item.type === 'task') !== (type === 'task');
    if (this.gates !== 'enforce' || !isOther) return false;
    if (item.type === 'task') return ['Review', 'Testing', 'Validating'].includes(this.step(item));
    const hasReview = this.board(item).columns.some(({ step }) => step === 'Review');
    return isBarred('In Progress', to.step, hasReview);
  }

  /** Whether a verdict is to be warned of. */
  #misfits(kind: Verdict, item: ModelItem, isPass: boolean, hasResults: boolean): boolean {
    const { workedBy, handedOverBy } = item;
    const verdict = { by: this.by, isPass, hasResults };
    const misfits =
      item.type === 'task' && isMisfit(kind, { step: this.step(item), who: [workedBy, handedOverBy] }, verdict);
    refuseIf([[misfits && this.gates === 'enforce', 'CONFLICT']]);
    return misfits;
  }

  /** Of a task that a move by hand sends back: the verdict that it was waiting for. */
  #verdictLeft(item: ModelItem, to: ModelColumn): Verdict | undefined {
    const isBack = item.type === 'task' && ['In Progress', 'To Do', 'Backlog'].includes(to.step);
    if (!isBack) return undefined;
    if (this.step(item) === 'Review') return 'review';
    return ['Testing', 'Validating'].includes(this.step(item)) ? 'validation' : undefined;
  }

  /** All that depend on a task hear that it was sent back; those that somebody has begun carry it until it passes. */
  #tellOfReturn(base: ModelItem, until: Verdict): void {
    for (const other of this.#tasksOn(base)) {
      this.#record(other, [{ eventType: 'dependency_returned', data: {} }]);
      if (isPending(this.step(other))) continue;
      if (other.lease && this.#isHeld(other, Date.now()))
        other.lease.notices = [...other.lease.notices.filter((each) => each !== base.taskId), base.taskId];
      const others = other.onReturnedBase.filter(({ id }) => id !== base.id);
      const isUnvalidated = other.onReturnedBase.some((mark) => mark.id === base.id && mark.until === 'validation');
      other.onReturnedBase = [...others, { id: base.id, until: isUnvalidated ? 'validation' : until }];
    }
  }

  /** It reaches finished items, too: no verdict on them will come. */
  #tellOfPass(base: ModelItem, passed: readonly Verdict[]): void {
    for (const other of this.items.values()) {
      const left = other.onReturnedBase.filter(({ id, until }) => id !== base.id || !passed.includes(until));
      if (left.length === other.onReturnedBase.length) continue;
      other.onReturnedBase = left;
      this.touched.add(other.id);
    }
  }

  #tasksOn(base: ModelItem): ModelItem[] {
    return [...this.items.values()].filter(({ id, type, metadata }) => {
      const dependsOn = (metadata.dependsOn ?? []) as string[];
      return type === 'task' && id !== base.id && dependsOn.some((ref) => this.find(ref) === base);
    });
  }

  /** Every change to one item's column by a single tool. @returns the ancestors that followed */
  #move(
    item: ModelItem,
    to: ModelColumn,
    options: {
      readonly changes?: Changes;
      readonly events?: readonly ModelEvent[];
      readonly isAutoSync?: boolean;
      readonly causedBy?: string;
      readonly place?: Place;
      readonly data?: object | undefined;
      readonly isCompleted?: boolean;
    },
  ): CascadedMove[] {
    const { isAutoSync = false, causedBy, place = 'last' } = options;
    const data = { fromColumn: this.columnName(item), toColumn: to.name };
    this.#takeOut(item);
    if (place === 'first') to.items.unshift(item.id);
    else if (place === 'last') to.items.push(item.id);
    else to.items.splice(to.items.indexOf(place.after) + 1, 0, item.id);
    item.boardColumnId = to.id;
    const isElsewhere = data.fromColumn !== data.toColumn;
    const isAiProcessing = { 'In Progress': true, Review: false, Done: false }[to.step];
    const follows = {
      ...(isElsewhere && isAiProcessing !== undefined && { isAiProcessing }),
      ...(isElsewhere && { isReturned: false }),
      ...(to.step !== 'In Progress' && { lease: null }),
    };
    const caused = { ...(isAutoSync && { isAutoSync }), ...(causedBy && { causedBy }), ...options.data };
    const events: ModelEvent[] = [...(options.events ?? []), { eventType: 'moved', data: { ...data, ...caused } }];
    this.#change(item, { ...follows, ...options.changes }, events, options.isCompleted);
    if (to.step === 'Done') this.#tellOfPass(item, ['review', 'validation']);
    return isAutoSync && !causedBy ? [] : this.#cascadeFrom(item);
  }

  /**
   * The parent moves to `Done` when all of its children are there. It moves to `In Progress` when some child has left `Backlog` and `To Do` while the parent is
   * still in one of them. This is repeated upwards. Where gates are enforced, a task that would pass one goes to its review, or stays for its verdict.
   */
  #cascadeFrom(child: ModelItem): CascadedMove[] {
    if (child.parentId === null) return [];
    const parent = this.item(child.parentId);
    const fromColumn = this.columnName(parent);
    const children = this.childrenOf(parent).map((each) => this.step(each));
    const isDone = children.every((step) => step === 'Done');
    const hasStarted = isPending(this.step(parent)) && children.some((step) => !isPending(step));
    const follows = isDone ? 'Done' : hasStarted ? 'In Progress' : this.step(parent);
    const column = this.#columnFor(parent, follows);
    if (!column || follows === this.step(parent)) return [];
    const to = this.#isBarred(parent, column) ? this.#toItsReview(parent) : column;
    if (!to) return [];
    const toColumn = to.name;
    const above = this.#move(parent, to, { isAutoSync: true, causedBy: child.id });
    return [{ id: parent.id, taskId: parent.taskId, fromColumn, toColumn }, ...above];
  }

  #toItsReview(item: ModelItem): ModelColumn | undefined {
    return isHandedOver(this.step(item)) ? undefined : this.#columnFor(item, 'Review');
  }

  #complete(
    item: ModelItem,
    to: ModelColumn,
    patch: Metadata,
    session: ModelEvent,
    changes: Changes,
    isCompleted = false,
  ): void {
    const metadata = merge(item.metadata, patch);
    const isSame = isDeepStrictEqual(metadata, item.metadata);
    this.#move(item, to, {
      changes: { ...changes, isAiProcessing: false, metadata },
      events: [...(isSame ? [] : updated({ metadata: { from: item.metadata, to: metadata } })), session],
      isCompleted,
    });
  }

  #keep(item: ModelItem, used: Used, of: Pick<Report, 'model' | 'durationMs'>, id?: string): ModelEvent {
    const { model, durationMs = 0 } = of;
    this.sessions.push({ ...used, durationMs, countedFor: item.id });
    const { totalTokens, costBasis } = used;
    const said = { workItemId: item.id, totalTokens, model, costBasis, estimatedCost: shownCost(used) };
    return { eventType: 'ai_session', data: { ...(id !== undefined && { id }), ...said } };
  }

  /** What an agent has told of its work, and nobody completed, is a session of its own: no cost is lost. */
  #abandon(item: ModelItem): ModelEvent[] {
    const { lease } = item;
    if (!lease?.report) return [];
    const { model, earlier, paid: _, atMs, ...used } = lease.report;
    const durationMs = Math.max(0, atMs - lease.claimedAtMs);
    delete lease.report;
    item.abandoned = { ...used, model, earlier, key: lease.key, durationMs };
    return [this.#keep(item, used, { model, durationMs })];
  }

  /** Under a lease, it is once that is released or has expired. */
  #sentBack(item: ModelItem, isFailed: boolean, { id: boardColumnId }: ModelColumn): Changes {
    if (!isFailed || item.type !== 'task') return {};
    const { lease } = item;
    if (!lease) return { isReturned: true };
    return { lease: { ...lease, before: { ...lease.before, boardColumnId, isReturned: true } } };
  }

  /** Claiming it means fixing something, even if the agent that was going to did not come back. */
  isRework(item: ModelItem): boolean {
    return item.isReturned || item.lease?.before.isReturned === true;
  }

  /** As far as it was reported: for an agent that did not come back, once that was noticed. */
  #isKnownReady(item: ModelItem): boolean {
    return this.#isReady(item, item.lease?.isSettled ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY);
  }

  /** @returns whether it had not been noticed before */
  #expire(item: ModelItem, nowMs = Date.now()): boolean {
    const { lease } = item;
    if (!lease || lease.isSettled || this.#isHeld(item, nowMs)) return false;
    lease.isSettled = true;
    item.isAiProcessing = false;
    this.#record(item, [{ eventType: 'lease_expired', data: {} }]);
    return true;
  }

  /** Its dependencies are in `Review` or further, and it is pending, or nobody holds it. */
  #isReady(item: ModelItem, nowMs: number): boolean {
    const column = this.step(item);
    const isAssigned = item.assignee !== null && item.assignee !== item.claimedBy && !item.isReturned;
    const isFree = column === 'In Progress' && !this.#isHeld(item, nowMs) && !isAssigned;
    return (isPending(column) || isFree) && this.#waitsForNothing(item);
  }

  /** A task with nothing below it in `In Progress`, without a live lease, that no person was given, and that waits for nothing. */
  isUnheld(item: ModelItem, nowMs: number): boolean {
    const isPersons = item.assignee !== null && item.assignee !== item.claimedBy;
    const isLeaf = item.type === 'task' && this.childrenOf(item).length === 0;
    const isInProgress = this.step(item) === 'In Progress';
    return isLeaf && isInProgress && !isPersons && !this.#isHeld(item, nowMs) && this.#waitsForNothing(item);
  }

  #waitsForNothing({ metadata }: ModelItem): boolean {
    const found = ((metadata.dependsOn ?? []) as string[]).map((ref) => this.find(ref));
    return found.every((item) => item && isMet(this.step(item), this.dependencyMet));
  }

  #isHeld({ lease }: ModelItem, nowMs: number): boolean {
    return lease !== null && lease.expiresAtMs > nowMs;
  }

  #mayHaveParent(child: { readonly type: ItemType; readonly id?: string }, parent: ModelItem): boolean {
    const existing = child.id === undefined ? undefined : this.item(child.id);
    const isCycle = existing !== undefined && this.treeOf(existing).includes(parent);
    if (isCycle) return false;
    const levels = this.#depthOf(parent) + (existing ? this.#heightOf(existing) : 1);
    return PARENTS[child.type].includes(parent.type) && levels <= MAX_TREE_LEVELS;
  }

  /** Whether the item would wait for itself. An item waits for its dependencies, and for everything below it. */
  #closesCycle(item: ModelItem, metadata: Metadata, parent: ModelItem | null): boolean {
    return leadsTo(item, item, (each) => [
      ...(each === item ? this.#dependenciesIn(metadata) : this.#dependenciesIn(each.metadata)),
      ...this.childrenOf(each).filter((child) => child !== item),
      ...(each === parent ? [item] : []),
    ]);
  }

  /** Whether something with these dependencies, below the other, would wait for it. */
  #waitsFor(other: ModelItem, metadata: Metadata | undefined): boolean {
    return this.#dependenciesIn(metadata).some((each) => each === other || leadsTo(each, other, this.#nextOf));
  }

  readonly #nextOf = (item: ModelItem): ModelItem[] => [
    ...this.#dependenciesIn(item.metadata),
    ...this.childrenOf(item),
  ];

  #dependenciesIn(metadata: Metadata | undefined): ModelItem[] {
    return ((metadata?.dependsOn ?? []) as string[]).flatMap((ref) => this.find(ref) ?? []);
  }

  #depthOf({ parentId }: ModelItem): number {
    return parentId === null ? 1 : 1 + this.#depthOf(this.item(parentId));
  }

  #heightOf(item: ModelItem): number {
    return 1 + Math.max(0, ...this.childrenOf(item).map((child) => this.#heightOf(child)));
  }

  /** The first column for the first of these steps that the board has. */
  #columnFor(item: ModelItem, ...steps: readonly string[]): ModelColumn | undefined {
    const { columns } = this.board(item);
    return steps.flatMap((wanted) => columns.find(({ step }) => step === wanted) ?? [])[0];
  }

  #takeOut({ id, boardColumnId }: ModelItem): void {
    const column = this.column(boardColumnId) as ModelColumn;
    column.items = column.items.filter((each) => each !== id);
  }

  #change(item: ModelItem, changes: Changes, events: readonly ModelEvent[], isCompleted = false): void {
    const endsLease = changes.lease !== undefined && changes.lease?.token !== item.lease?.token;
    if (endsLease) this.#expire(item);
    const left = endsLease && !isCompleted ? this.#abandon(item) : [];
    // Whoever claims begins anew.
    if (endsLease && changes.lease) item.abandoned = null;
    const { lease, assignee } = { ...item, ...changes };
    if (!lease && (item.lease || (item.assignee !== null && assignee === null))) item.isAiProcessing = false;
    // An assignee never changes without an event, whatever the cause.
    const isSaid = assignee === item.assignee || events.some(({ data }) => 'assignee' in changesIn(data));
    const said = isSaid ? [] : updated({ assignee: { from: item.assignee, to: assignee } });
    Object.assign(item, changes);
    item.version++;
    this.#record(item, [...said, ...events, ...left]);
  }

  #record(item: ModelItem, events: readonly ModelEvent[]): void {
    item.history.push(...events.filter(({ eventType }) => !PASSING.has(eventType)));
    this.told.push(...events.map(({ eventType }) => ({ itemId: item.id, what: eventType })));
    this.touched.add(item.id);
  }
}

const changesIn = (data: object): object => ('changes' in data ? (data.changes as object) : {});

function updated(changes: Record<string, { readonly from: unknown; readonly to: unknown }>): ModelEvent[] {
  if (Object.keys(changes).length === 0) return [];
  return [{ eventType: 'updated', data: { changes } }];
}
