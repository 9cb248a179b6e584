import type { Output } from '@worktrack/contracts/operation';
import type { Column } from '@worktrack/contracts/projects/board';
import type { batchMoveWorkItems } from '@worktrack/contracts/work-items/changes/batch-move';
import type { moveWorkItem } from '@worktrack/contracts/work-items/changes/move';
import type { getWorkItem } from '@worktrack/contracts/work-items/get';
import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import { call } from '../api/call.ts';
import { ServiceError } from '../api/service-error.ts';
import { forgetReason } from '../parts/item/reason.tsx';
import { isSentBack } from '../parts/item/send-back.ts';
import { tellFailure } from '../parts/popup/toasts.tsx';
import { did } from '../parts/popup/undo.ts';
import { askAnyway, askWhy } from './ask.ts';
import { type ByHand, insisting, mayInsist } from './by-hand.ts';
import { allOf, leftAsError, leftOf, named, refusedOf, type Skipped, tellLeft } from './many.ts';
import { words } from './messages.ts';
import { MAX_ATTEMPTS } from './save.ts';
import { showChange, showTrue } from './shown.ts';

type Moved = Output<typeof moveWorkItem>;
type Movable = Pick<Card, 'id' | 'taskId' | 'type' | 'boardColumnId' | 'parentId' | 'version'>;
/** Position within a column. */
type Position = 'first' | { readonly after: string };

/** The most that one call moves (libs/contracts/work-items/changes/batch-move.ts). */
const MAX_MOVED = 500;

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
export async function moveItems(
  cards: readonly Movable[],
  to: Column,
  roleOf: (columnId: string) => Column['role'] | undefined,
): Promise<void> {
  const moving = cards.filter(({ boardColumnId }) => boardColumnId !== to.id);
  const ids = moving.map(({ id }) => id);
  if (ids.length === 0) return;
  const isBack = moving.some(({ type, boardColumnId }) => isSentBack(type, roleOf(boardColumnId), to.role));
  const reason = isBack ? await askWhy(named(moving)) : undefined;
  if (isBack && reason === undefined) return;
  showChange(ids.map((id) => ({ id, fields: { boardColumnId: to.id, columnName: to.name } })));
  try {
    const moves = await moveAll(moving, to.id, { ...(reason !== undefined && { reason }) });
    const moved = moving.filter(({ id }) => moves.moved.has(id));
    if (moved.length > 0) {
      if (reason !== undefined) forgetReason(named(moving));
      did(words.moved({ what: named(moved), column: to.name }), async () => {
        for (const one of moves.single) {
          const columnId = moving.find(({ id }) => id === one.workItem.id)?.boardColumnId;
          if (columnId) await moveBack(one, { columnId });
        }
        const inBatch = moved.filter(({ id }) => !moves.single.some(({ workItem }) => workItem.id === id));
        for (const [columnId, some] of Map.groupBy(inBatch, ({ boardColumnId }) => boardColumnId)) {
          const back = await batchMove(
            some.map(({ id }) => id),
            columnId,
            {},
          );
          leftAsError(back.skipped);
        }
        showTrue(ids);
      });
    }
    tellLeft(leftOf(moves.skipped, moving), words.notMoved);
  } catch (error) {
    tellFailure(words.notMoved({ what: named(moving) }), error);
  } finally {
    showTrue(ids);
  }
}

/** Together, but for one child of each parent, whose own move lets the parents follow: once, when all are where they belong. */
async function moveAll(cards: readonly Movable[], columnId: string, how: ByHand) {
  const last = new Map(cards.map((card) => [card.parentId ?? card.id, card]));
  const alone =
    cards.length === 1
      ? [...cards]
      : cards.filter((card) => card.parentId !== null && last.get(card.parentId) === card);
  const inBatch = cards.filter((card) => !alone.includes(card)).map(({ id }) => id);
  const moved = new Set<string>();
  const skipped: Skipped[] = [];
  const single: Moved[] = [];
  let meant = how;
  const { items, skipped: refused } = await batchMove(inBatch, columnId, how);
  for (const { id } of items) moved.add(id);
  const askable = refused.filter(({ needs }) => mayInsist(needs));
  skipped.push(...refused.filter((each) => !askable.includes(each)));
  const isMove = askable.every(({ needs }) => needs === 'force');
  if (askable.length > 0 && (await askAnyway(allOf(askable), isMove))) {
    meant = { ...how, ...Object.fromEntries(askable.map(({ needs }) => [needs, true])) };
    const ids = askable.map(({ id }) => id);
    const again = await batchMove(ids, columnId, meant);
    for (const { id } of again.items) moved.add(id);
    skipped.push(...again.skipped);
  } else skipped.push(...askable);
  for (const card of alone) {
    const { id } = card;
    try {
      const send = (said: ByHand) => moveOne(card, columnId, said);
      const answer = await insisting(send, meant);
      if (!answer) continue;
      single.push(answer);
      moved.add(id);
    } catch (why) {
      skipped.push({ id, why });
    }
  }
  return { moved, skipped, single };
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

async function batchMove(ids: readonly string[], boardColumnId: string, how: ByHand) {
  const items = [];
  const skipped = [];
  for (let at = 0; at < ids.length; at += MAX_MOVED) {
    const input = { workItemIds: ids.slice(at, at + MAX_MOVED), boardColumnId, ...how };
    const answer = await call<typeof batchMoveWorkItems>('POST /api/work-items/batch-move', input);
    items.push(...answer.items);
    skipped.push(...(await refusedOf(answer.skipped)));
  }
  return { items, skipped };
}
