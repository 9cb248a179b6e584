import type { Output } from '@worktrack/contracts/operation';
import type { Column } from '@worktrack/contracts/projects/board';
import type { batchMoveWorkItems } from '@worktrack/contracts/work-items/changes/batch-move';
import type { moveWorkItem } from '@worktrack/contracts/work-items/changes/move';
import type { getWorkItem } from '@worktrack/contracts/work-items/get';
import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import { call } from '../api/call.ts';
import { ServiceError } from '../api/service-error.ts';
import { attempt } from '../parts/busy.ts';
import { forgetReason } from '../parts/item/reason.tsx';
import { isSentBack } from '../parts/item/send-back.ts';
import { did } from '../parts/popup/undo.ts';
import { askAnyway, askWhy } from './ask.ts';
import { type ByHand, insisting, mayInsist } from './by-hand.ts';
import { allOf, each, inParts, leftOf, named, type Skipped, tellLeft, tellNotUndone } from './many.ts';
import { words } from './messages.ts';
import { MAX_ATTEMPTS } from './save.ts';
import { showChange, showTrue } from './shown.ts';

type Moved = Output<typeof moveWorkItem>;
type Movable = Pick<Card, 'id' | 'taskId' | 'type' | 'projectId' | 'boardColumnId' | 'parentId' | 'version'>;
/** Position within a column. */
type Position = 'first' | { readonly after: string };
type RoleOf = (columnId: string) => Column['role'] | undefined;

/** Where an item was before it was moved. */
export interface Origin {
  readonly columnId: string;
  /** Absent: at the end. */
  readonly position?: Position;
}

/** Back to where it was, with the parents that followed it; if it is still where it was moved to. */
export async function moveBack(
  { workItem, cascaded }: Pick<Moved, 'workItem' | 'cascaded'>,
  { columnId, position }: Origin,
): Promise<void> {
  const { id } = workItem;
  const back = { boardColumnId: columnId, ...(position && { position }) };
  const send = (version: number) =>
    insisting((how) =>
      call<typeof moveWorkItem>(
        'POST /api/work-items/:workItemId/move',
        { workItemId: id, ...back, ...how },
        { version },
      ),
    );
  try {
    await send(workItem.version);
  } catch (error) {
    const now = error instanceof ServiceError ? (error.current as typeof workItem | undefined) : undefined;
    if (!now) throw error;
    if (now.boardColumnId !== workItem.boardColumnId) throw new Error(words.overtaken({ what: now.taskId }));
    await send(now.version);
  }
  for (const parent of cascaded) {
    const now = await call<typeof getWorkItem>('GET /api/work-items/:id', { id: parent.id });
    if (now.columnName !== parent.toColumn) continue;
    const input = { workItemId: parent.id, boardColumnId: parent.fromColumn, isAutoSync: true };
    await call<typeof moveWorkItem>('POST /api/work-items/:workItemId/move', input, { version: now.version });
  }
}

/** Moves several items to a column of their board: all as one, which can be undone as one. Parents follow. */
export async function moveItems(cards: readonly Movable[], to: Column, roleOf: RoleOf): Promise<void> {
  const moving = cards.filter(({ boardColumnId }) => boardColumnId !== to.id);
  const ids = moving.map(({ id }) => id);
  if (ids.length === 0) return;
  const back = moving.filter(({ type, boardColumnId }) => isSentBack(type, roleOf(boardColumnId), to.role));
  const reason = back.length > 0 ? await askWhy(named(back)) : undefined;
  if (back.length > 0 && reason === undefined) return;
  showChange(ids.map((id) => ({ id, fields: { boardColumnId: to.id, columnName: to.name } })));
  const { moved, left, single } = await moveAll(moving, to.id, { ...(reason !== undefined && { reason }) });
  if (moved.length > 0) {
    if (reason !== undefined) forgetReason(named(back));
    did(words.moved({ what: named(moved), column: to.name }), async () => {
      const stayed = await moveAllBack(moved, single, to.id);
      showTrue(ids);
      tellNotUndone(stayed, moved.length, words.notMoved);
    });
  }
  tellLeft(left, words.notMoved);
  showTrue(ids);
}

/** Of what others have taken from the screen while it was dragged: if it still exists, it goes where it was dropped. */
export async function moveUnseen(taskId: string, to: Column, roleOf: RoleOf): Promise<void> {
  await attempt(words.notMoved({ what: taskId }), async () => {
    const item = await call<typeof getWorkItem>('GET /api/work-items/:id', { id: taskId });
    await moveItems([item], to, roleOf);
  });
}

/** Together, but for one child of each parent, whose own move lets the parents follow: once, when all are where they belong. */
async function moveAll(cards: readonly Movable[], columnId: string, how: ByHand) {
  const last = new Map(cards.map((card) => [card.parentId ?? card.id, card]));
  const isAlone = (card: Movable) => cards.length === 1 || (card.parentId !== null && last.get(card.parentId) === card);
  let meant = how;
  const send = async (some: readonly Movable[]) => {
    const parts: Awaited<ReturnType<typeof batchMove>>[] = [];
    for (const [from, its] of Map.groupBy(some, ({ boardColumnId }) => boardColumnId)) {
      parts.push(await batchMove(its, from, columnId, meant));
    }
    return { items: parts.flatMap(({ items }) => items), skipped: parts.flatMap(({ skipped }) => skipped) };
  };
  const first = await send(cards.filter((card) => !isAlone(card)));
  const askable = first.skipped.filter(({ needs }) => mayInsist(needs));
  const skipped: Skipped[] = first.skipped.filter(({ needs }) => !mayInsist(needs));
  const isMove = askable.every(({ needs }) => needs === 'force');
  const ids = new Set(askable.map(({ id }) => id));
  if (askable.length > 0 && (await askAnyway(allOf(askable), isMove))) {
    meant = { ...how, ...Object.fromEntries(askable.map(({ needs }) => [needs, true])) };
    const again = await send(cards.filter(({ id }) => ids.has(id)));
    first.items.push(...again.items);
    skipped.push(...again.skipped);
  } else skipped.push(...askable);
  const single = new Map<string, Moved>();
  const alone = await each(
    cards.filter(isAlone),
    async (card) => {
      const answer = await insisting((said) => moveOne(card, columnId, said), meant);
      if (answer) single.set(card.id, answer);
    },
    1,
  );
  const done = new Set([...first.items.map(({ id }) => id), ...single.keys()]);
  return {
    moved: cards.filter(({ id }) => done.has(id)),
    left: [...leftBehind(skipped, cards), ...alone.left],
    single,
  };
}

/** Each to where it was, but for what others have moved on since. @param from where all were moved to @returns what stays */
async function moveAllBack(cards: readonly Movable[], single: ReadonlyMap<string, Moved>, from: string) {
  const { left } = await each(
    cards,
    async ({ id, boardColumnId: columnId }) => {
      const moved = single.get(id);
      if (moved) await moveBack(moved, { columnId });
    },
    1,
  );
  const inBatch = cards.filter(({ id }) => !single.has(id));
  for (const [columnId, some] of Map.groupBy(inBatch, ({ boardColumnId }) => boardColumnId)) {
    const { skipped } = await batchMove(some, from, columnId, {});
    left.push(...leftBehind(skipped, some));
  }
  return left;
}

function leftBehind(skipped: readonly Skipped[], cards: readonly Movable[]) {
  return leftOf(skipped, cards).map(({ card, why }) => {
    const isOvertaken = why instanceof ServiceError && why.code === 'CONFLICT' && !why.reason;
    return { card, why: isOvertaken ? new Error(words.overtaken({ what: card.taskId })) : why };
  });
}

/** What is changed about it besides, by others or here a moment ago, is no conflict. */
async function moveOne({ id, version, boardColumnId }: Movable, to: string, how: ByHand): Promise<Moved> {
  const input = { workItemId: id, boardColumnId: to, ...how };
  let known = version;
  for (let attempts = 1; ; attempts++) {
    try {
      return await call<typeof moveWorkItem>('POST /api/work-items/:workItemId/move', input, { version: known });
    } catch (error) {
      const now = error instanceof ServiceError ? (error.current as Moved['workItem'] | undefined) : undefined;
      if (now?.boardColumnId !== boardColumnId || attempts >= MAX_ATTEMPTS) throw error;
      known = now.version;
    }
  }
}

/** What others have moved elsewhere stays there. */
function batchMove(cards: readonly Movable[], fromColumnId: string, boardColumnId: string, how: ByHand) {
  return inParts(cards, (part) => {
    const input = { workItemIds: part.map(({ id }) => id), fromColumnId, boardColumnId, ...how };
    return call<typeof batchMoveWorkItems>('POST /api/work-items/batch-move', input);
  });
}
