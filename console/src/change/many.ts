import type { Output, RawInput } from '@worktrack/contracts/operation';
import type { Label } from '@worktrack/contracts/projects/label';
import type { batchMoveWorkItems } from '@worktrack/contracts/work-items/changes/batch-move';
import type { batchUpdateWorkItems } from '@worktrack/contracts/work-items/changes/batch-update';
import type { Card, listProjectCards } from '@worktrack/contracts/work-items/lists/cards';
import type { PlainField } from '@worktrack/contracts/work-items/plain-fields';
import { call } from '../api/call.ts';
import { refusal, ServiceError } from '../api/service-error.ts';
import { tellFailure } from '../parts/popup/toasts.tsx';
import { did } from '../parts/popup/undo.ts';
import { words } from './messages.ts';
import { type Changes, changeItem, inverseOf, isSame, MAX_ATTEMPTS, onCard, saveItem } from './save.ts';
import { showChange, showTrue } from './shown.ts';

type Entry = RawInput<typeof batchUpdateWorkItems>['items'][number];
export type FieldChanges = Pick<Entry, PlainField | 'assignee'>;
export interface LabelChanges {
  readonly add?: Label;
  readonly remove?: Label;
}

/** The most that one call changes or moves (libs/contracts/work-items/changes/batch-update.ts, batch-move.ts), or reads by ids (cards.ts). */
const MAX_CHANGED = 500;
const MAX_READ = 100;
/** What is changed one by one: as many at once. */
const TOGETHER = 6;

/** What is to become of an item, as it was when the change began. */
interface Wish {
  readonly before: Card;
  readonly changes: FieldChanges;
}
export interface Skipped {
  readonly id: string;
  readonly why: unknown;
}
interface Left {
  readonly card: { readonly taskId: string };
  readonly why: unknown;
}

/** Changes the same fields of several items: all as one, which can be undone as one. */
export async function changeItems(cards: readonly Card[], changes: FieldChanges): Promise<void> {
  const [first] = cards;
  if (!first) return;
  if (cards.length === 1) return void (await changeItem(first, changes));
  await together(cards, onCard(changes), async () => {
    const { written, left } = await write(cards.map((before) => ({ before, changes })));
    const undo = async () => {
      const back = await write(
        written.map(({ before, after }) => ({ before: after, changes: inverseOf(before, changes) })),
      );
      tellNotUndone(back.left, written.length, words.notChanged);
    };
    return { done: written.length, left, undo };
  });
}

/** Adds a label or takes one away, whatever others do about the rest. */
export async function labelItems(cards: readonly Card[], { add, remove }: LabelChanges): Promise<void> {
  const concerned = cards.filter(({ labels }) =>
    labels.some(({ id }) => id === (add ?? remove)?.id) ? remove !== undefined : add !== undefined,
  );
  const entries = (isBack: boolean) => {
    const [added, removed] = isBack ? [remove, add] : [add, remove];
    const changes = { ...(added && { addLabels: [added.id] }), ...(removed && { removeLabels: [removed.id] }) };
    return concerned.map(({ id }) => ({ id, ...changes }));
  };
  if (concerned.length === 0) return;
  const shownOn = (card: Card) => [...card.labels.filter(({ id }) => id !== remove?.id), ...(add ? [add] : [])];
  await together(
    concerned,
    (card) => ({ labels: shownOn(card) }),
    async () => {
      const change = async (isBack: boolean) => leftOf((await send(entries(isBack))).skipped, concerned);
      const left = await change(false);
      const undo = async () => tellNotUndone(await change(true), concerned.length, words.notChanged);
      return { done: concerned.length - left.length, left, undo };
    },
  );
}

/** What no one call changes of several items: their parent, or their type. */
export async function changeEach(cards: readonly Card[], changes: Pick<Changes, 'parentId' | 'type'>): Promise<void> {
  const [first] = cards;
  if (!first) return;
  if (cards.length === 1) return void (await changeItem(first, changes));
  await together(cards, onCard(changes), async () => {
    const { done, left } = await each(cards, (card) => saveItem(card, changes));
    const undo = async () => {
      const back = await each(
        done.map(({ card, result }) => ({ ...card, version: result.version, before: card })),
        ({ before, ...card }) => saveItem({ ...card, ...onCard(changes) }, inverseOf(before, changes)),
      );
      tellNotUndone(back.left, done.length, words.notChanged);
    };
    return { done: done.length, left, undo };
  });
}

interface Outcome {
  readonly done: number;
  readonly left: readonly Left[];
  readonly undo: () => Promise<unknown>;
}

/** Shows it at once, does it, and says what became of it. */
async function together(
  cards: readonly Card[],
  shown: Partial<Card> | ((card: Card) => Partial<Card>),
  change: () => Promise<Outcome>,
): Promise<void> {
  const ids = cards.map(({ id }) => id);
  showChange(cards.map((card) => ({ id: card.id, fields: typeof shown === 'function' ? shown(card) : shown })));
  const { done, left, undo } = await change();
  if (done > 0) did(words.changed({ what: named(cards, done) }), () => undo().finally(() => showTrue(ids)));
  tellLeft(left, words.notChanged);
  showTrue(ids);
}

/** How one or several items are called. */
export function named(cards: readonly { readonly taskId: string }[], n = cards.length): string {
  return n === 1 && cards.length === 1 ? (cards[0]?.taskId ?? '') : words.nItems({ n });
}

/** What an answer says was skipped, with the cards. */
export function leftOf<T extends Left['card'] & { readonly id: string }>(
  skipped: readonly Skipped[],
  cards: readonly T[],
): { card: T; why: unknown }[] {
  const byId = new Map(cards.map((card) => [card.id, card]));
  return skipped.flatMap(({ id, why }) => {
    const card = byId.get(id);
    return card ? [{ card, why }] : [];
  });
}

/** Says what was left as it was, and why. */
export function tellLeft(left: readonly Left[], notDone: (values: { what: string }) => string): void {
  if (left.length === 0) return;
  tellFailure(notDone({ what: named(left.map(({ card }) => card)) }), allOf(left));
}

/** What an undo has left as it was. @throws if that is all that it was about */
export function tellNotUndone(left: readonly Left[], n: number, notDone: Parameters<typeof tellLeft>[1]): void {
  if (left.length === n) throw allOf(left);
  tellLeft(left, notDone);
}

export const allOf = (left: readonly Pick<Left, 'why'>[]) => new AggregateError(left.map(({ why }) => why));

/** What a call over several items skipped, as if each had been refused alone. */
function refusedOf(skipped: readonly SkippedItem[]): Promise<(SkippedItem & Skipped)[]> {
  return Promise.all(
    skipped.map(async (each) => {
      const { reason: message, needs } = each;
      const about = needs && ({ reason: needs === 'force' ? 'gate' : 'held' } as const);
      return { ...each, why: await refusal({ code: 'CONFLICT', message, status: 409, ...about }) };
    }),
  );
}
type SkippedItem = Output<typeof batchMoveWorkItems>['skipped'][number];

/** Sends as many at a time as one call takes. What a call that fails has not done, and what would have followed, is skipped for its reason. */
export async function inParts<T extends { readonly id: string }, Item>(
  all: readonly T[],
  send: (part: readonly T[]) => Promise<{ readonly items: readonly Item[]; readonly skipped: readonly SkippedItem[] }>,
) {
  const items: Item[] = [];
  const skipped: (Skipped & Pick<SkippedItem, 'needs'>)[] = [];
  for (let at = 0; at < all.length; at += MAX_CHANGED) {
    try {
      const answer = await send(all.slice(at, at + MAX_CHANGED));
      items.push(...answer.items);
      skipped.push(...(await refusedOf(answer.skipped)));
    } catch (why) {
      skipped.push(...all.slice(at).map(({ id }) => ({ id, why })));
      break;
    }
  }
  return { items, skipped };
}

/** Does something to each, some at a time. It ends while there is no answer, for each would be tried several times, and with the session. */
export async function each<T extends Pick<Card, 'id' | 'taskId'>, R>(
  all: readonly T[],
  what: (one: T) => Promise<R>,
  together = TOGETHER,
): Promise<{
  readonly done: { readonly card: T; readonly result: R }[];
  readonly left: { card: T; why: unknown }[];
}> {
  const done: { card: T; result: R }[] = [];
  const left: { card: T; why: unknown }[] = [];
  const waiting = [...all];
  const work = async () => {
    for (let card = waiting.shift(); card; card = waiting.shift()) {
      try {
        done.push({ card, result: await what(card) });
      } catch (why) {
        left.push({ card, why });
        if (why instanceof ServiceError && (why.isTransient || why.status === 401))
          left.push(...waiting.splice(0).map((rest) => ({ card: rest, why })));
      }
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return { done, left };
}

/** Writes what nobody else has changed since: changes of other fields by others are no conflict. */
async function write(wishes: readonly Wish[]) {
  const written: { readonly before: Card; readonly after: Card }[] = [];
  const left: Left[] = [];
  let open = wishes.map((wish) => ({ ...wish, version: wish.before.version }));
  for (let attempts = 1; open.length > 0; attempts++) {
    const { items, skipped } = await send(
      open.map(({ before, changes, version }) => ({ id: before.id, ...changes, version })),
    );
    const answers = new Map(items.map((item) => [item.id, item]));
    const reasons = new Map(skipped.map(({ id, why }) => [id, why]));
    for (const { before, changes } of open) {
      const answer = answers.get(before.id);
      if (answer) written.push({ before, after: { ...before, ...onCard(changes), version: answer.version } });
    }
    const refused = open.filter(({ before }) => reasons.has(before.id));
    const now = await read(refused.map(({ before }) => before)).catch(() => []);
    const current = new Map(now.map((card) => [card.id, card]));
    open = refused.flatMap((wish) => {
      const now = current.get(wish.before.id);
      const isOthers = now !== undefined && now.version !== wish.version;
      if (isOthers && attempts < MAX_ATTEMPTS && isSame(wish.before, now, wish.changes))
        return { ...wish, version: now.version };
      const { taskId, id } = wish.before;
      const why = isOthers ? new Error(words.overtaken({ what: taskId })) : reasons.get(id);
      left.push({ card: wish.before, why });
      return [];
    });
  }
  return { written, left };
}

const send = (entries: readonly Entry[]) =>
  inParts(entries, (items) =>
    call<typeof batchUpdateWorkItems>('POST /api/work-items/batch-update', { items: [...items] }),
  );

async function read(cards: readonly Pick<Card, 'id' | 'projectId'>[]): Promise<Card[]> {
  const found: Card[] = [];
  for (let at = 0; at < cards.length; at += MAX_READ) {
    const part = cards.slice(at, at + MAX_READ);
    const [first] = part;
    if (!first) break;
    const input = { id: first.projectId, ids: part.map(({ id }) => id) };
    found.push(...(await call<typeof listProjectCards>('GET /api/projects/:id/cards', input)).cards);
  }
  return found;
}
