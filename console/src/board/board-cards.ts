import { signal } from '@preact/signals';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Output, RawInput } from '@worktrack/contracts/operation';
import type { Board, Column } from '@worktrack/contracts/projects/board';
import { asPart } from '@worktrack/contracts/query-values';
import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import type { moveWorkItem } from '@worktrack/contracts/work-items/changes/move';
import type { Card, listCards } from '@worktrack/contracts/work-items/lists/cards';
import type { openBoard } from '@worktrack/contracts/work-items/lists/open-board';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { currentOf } from '../api/service-error.ts';
import { askAnyway } from '../change/ask.ts';
import { type ByHand, type Insistence, lackedBy } from '../change/by-hand.ts';
import type { Origin } from '../change/move.ts';
import type { Shown } from '../change/shown.ts';
import { laterTexts } from '../language/later-texts.ts';
import { paced } from '../live/paced.ts';
import { isNews } from '../parts/item/lease.ts';
import { PLAIN_FIELDS } from '../parts/item/plain-fields.ts';
import { isSentBack } from '../parts/item/send-back.ts';
import { tell, tellFailure } from '../parts/popup/toasts.tsx';
import { did } from '../parts/popup/undo.ts';
import type { CardFilters } from '../views/filters/filters.ts';
import { groupsOf } from '../views/groups/groups-of.ts';
import {
  type CardPage,
  type CardPages,
  cardsOf,
  type News,
  partOf,
  positionAt,
  totalOf,
  withCard,
  withNews,
  withoutCard,
  withTotal,
} from './card-pages.ts';
import { words } from './messages.ts';
import { cardsKey } from './open.ts';

/** What was done last, for a screen reader, where the message about it says less. */
export const said = signal('');

/** A move that waits to be told why. */
export const sendingBack = signal<{ readonly taskId: string; send(reason: string): void } | undefined>(undefined);

/** Position within a column. */
export type Place = 'first' | { readonly after: string };

const PAGE_SIZE = 50;
const MAX_BY_ID = 100;
/** What others change is requested no more often than this. */
const RENEW_EVERY_MS = 150;
const RECOUNT_AFTER_MS = 1_000;
const RETRY_MS = 3_000;

/** What a lane of a board stands for: a group of its cards. */
export type LaneBy = (typeof LANES_BY)[number];
export const LANES_BY = ['epic', 'assignee'] as const;

export interface Lane {
  readonly key: string;
  readonly name: string;
  readonly count: number;
}

/** A column, or what of it is in a lane, by its key. */
interface Cell {
  readonly column: Column;
  readonly lane: string | undefined;
}

/** Where a card is. */
export interface Found extends Cell {
  readonly card: Card;
  readonly at: number;
}

/** Starts the keys of what tells which lanes a board has. */
export const lanesKey = (boardId: string) => ['lanes', boardId];

/** What a card shows as events tell it. */
const TOLD = ['title', ...PLAIN_FIELDS] satisfies readonly (keyof Card)[];
type Changes = Partial<Record<string, { readonly from: unknown; readonly to: unknown }>>;

interface Move {
  /** Settles once the service has answered this one and those before it. */
  ends: Promise<void>;
  /** The card as the service last described it. */
  before: Card;
  isTakenBack: boolean;
  /** An event reported something about the card meanwhile, which has not been requested yet. */
  hasNews: boolean;
  /** How many of the card's moves are in progress. */
  open: number;
}

/** The cards of a board as they are shown: what was read, what others change, and what is moved here and not answered yet. */
export class BoardCards {
  readonly board: Board;
  readonly filters: CardFilters;
  /** What its lanes stand for; undefined: it has none. */
  readonly by: LaneBy | undefined;
  /** The task ID of the last card that was dragged: it may be gone by the time it is dropped. */
  dragged = '';
  /** Lanes that are open, from the top. */
  lanes: readonly Lane[] = [];
  /** The keys of those that are drawn: their cards are kept up to date, those of others are read again. */
  readonly #drawn = new Set<string>();
  readonly #seen = new Set<string>();
  /** Of each read, what came to be known while it was under way: its answer may be older, and would take a card from under the focus. */
  readonly #readsUnderWay = new Set<News>();
  readonly #reading = new Map<string, Promise<Output<typeof openBoard>>>();
  readonly #moves = new Map<string, Move>();
  /** Of cards that are changed in turn, when the service has answered. */
  readonly #changes = new Map<string, Promise<void>>();
  #changed = new Set<string>();
  /** What is shown in another lane before the service has answered. */
  readonly #regrouped = new Set<string>();
  #isRecountDue = false;
  readonly #renewPaced = paced(() => this.#renew(), RENEW_EVERY_MS);

  constructor(board: Board, filters: CardFilters, by: LaneBy | undefined) {
    this.board = board;
    this.filters = filters;
    this.by = by;
  }

  /** @param lane its key; undefined: of the whole column, here and below */
  keyOf(columnId: string, lane?: string) {
    const part = this.by && lane !== undefined ? [this.by, lane] : undefined;
    return cardsKey(this.board.id, this.filters, columnId, part);
  }

  async page(columnId: string, lane: string | undefined, cursor: string | undefined, signal: AbortSignal) {
    const news: News = new Map();
    this.#readsUnderWay.add(news);
    try {
      const first = lane !== undefined && cursor === undefined ? await this.#firstOf(columnId, lane) : undefined;
      const input = { boardColumnId: columnId, ...this.#narrowed(lane), limit: PAGE_SIZE, ...(cursor && { cursor }) };
      const page = first ?? (await this.#ask(input, signal));
      // Of what a search finds, only the service knows; but what is moved here stays.
      const isFound = ({ id }: Card) =>
        !this.filters.search || this.#moves.has(id) || page.cards.some((card) => card.id === id);
      const isMeant = (card: Card) => this.#isIn(card, columnId, lane) && isFound(card);
      return withNews(page, news, isMeant, cursor === undefined);
    } finally {
      this.#readsUnderWay.delete(news);
    }
  }

  /** All columns of a lane are read in one request. */
  async #firstOf(columnId: string, lane: string): Promise<CardPage | undefined> {
    let reading = this.#reading.get(lane);
    if (!reading) {
      reading = this.#open(lane);
      this.#reading.set(lane, reading);
      // Whoever asks later has heard of what happened since.
      setTimeout(() => this.#reading.delete(lane));
    }
    return (await reading).columns.find(({ boardColumnId }) => boardColumnId === columnId);
  }

  #open(lane: string | undefined, limit?: number): Promise<Output<typeof openBoard>> {
    const { id: boardId, projectId } = this.board;
    const input = { projectId, boardId, ...this.#narrowed(lane), ...(limit && { limit }) };
    return call<typeof openBoard>('GET /api/board-view', input);
  }

  #narrowed(lane: string | undefined): CardFilters {
    return this.by && lane !== undefined ? { ...this.filters, [this.by]: asPart(lane) } : this.filters;
  }

  /** For a lane that is about to be drawn: what columns that were read to their ends have of it need not be read. */
  divide(lane: string): void {
    for (const { id } of this.board.columns) {
      const [whole, own] = [this.keyOf(id), this.keyOf(id, lane)].map((key) => queries.getQueryState<CardPages>(key));
      if (!whole || whole.isInvalidated || (own?.data && !own.isInvalidated)) continue;
      const part = partOf(whole.data, (card) => this.laneOf(card) === lane);
      if (part) queries.setQueryData<CardPages>(this.keyOf(id, lane), part);
    }
  }

  /** @returns it is drawn no more */
  draw(lane: string): () => void {
    this.#drawn.add(lane);
    this.#seen.add(lane);
    return () => void this.#drawn.delete(lane);
  }

  laneOf(card: Card): string | undefined {
    return this.by && groupsOf(card, this.by)[0];
  }

  cardsIn(columnId: string, lane?: string): Card[] {
    return cardsOf(this.#read(columnId, lane));
  }

  find(id: string, cells = this.#cells()): Found | undefined {
    for (const { column, lane } of cells.toReversed()) {
      const cards = this.cardsIn(column.id, lane);
      const at = cards.findIndex((card) => card.id === id);
      const card = cards[at];
      if (card) return { card, column, lane, at };
    }
    return undefined;
  }

  /** The columns, and their parts in these lanes. */
  #cells(lanes: Iterable<string> = this.#drawn): readonly Cell[] {
    return [undefined, ...lanes].flatMap((lane) => this.board.columns.map((column) => ({ column, lane })));
  }

  /** One that is dragged so far that its own lane is drawn no more, too. */
  findSeen(id: string): Found | undefined {
    return this.find(id) ?? this.find(id, this.#cells(this.#seen));
  }

  /** Changes a card otherwise than by a move, after what is being done to it and before its next moves. */
  inTurn(id: string, change: () => Promise<void>): void {
    const before = this.#changes.get(id) ?? this.#moves.get(id)?.ends ?? Promise.resolve();
    const ends = before.then(change).finally(() => this.#changes.get(id) === ends && this.#changes.delete(id));
    this.#changes.set(id, ends);
  }

  /** Shows the move at once, and undoes it with a message if it is refused. Moves of one card are sent one after the other. */
  move(id: string, to: Column, place: Place, how: ByHand = {}): void {
    const found = this.find(id);
    if (!found) return;
    if (how.reason === undefined && isSentBack(found.card.type, found.column.role, to.role)) {
      sendingBack.value = {
        taskId: found.card.taskId,
        send: (reason) => this.move(id, to, place, { ...how, reason }),
      };
      return;
    }
    const above = this.cardsIn(found.column.id, found.lane)[found.at - 1];
    const from = { columnId: found.column.id, position: above ? { after: above.id } : ('first' as const) };
    const others = this.cardsIn(to.id, found.lane).filter((card) => card.id !== id);
    const at = place === 'first' ? 0 : others.findIndex((card) => card.id === place.after) + 1;
    this.#put({ ...found.card, boardColumnId: to.id, columnName: to.name, position: positionAt(others, at) });
    const move = this.#moves.get(id) ?? {
      ends: this.#changes.get(id) ?? Promise.resolve(),
      before: found.card,
      isTakenBack: false,
      hasNews: false,
      open: 0,
    };
    this.#moves.set(id, move);
    move.open++;
    move.ends = move.ends.then(() => this.#send(id, to, place, move, how, from));
  }

  async #send(id: string, to: Column, place: Place, move: Move, how: ByHand, from: Origin): Promise<void> {
    try {
      // After a refused one, it is unclear what the next would mean.
      if (move.isTakenBack) return;
      const version = this.find(id)?.card.version ?? move.before.version;
      const { workItem, cascaded } = await call<typeof moveWorkItem>(
        'POST /api/work-items/:workItemId/move',
        { workItemId: id, boardColumnId: to.id, position: place, ...how },
        { version },
      );
      if (how.reason !== undefined)
        void import('../parts/item/reason.tsx').then((it) => it.forgetReason(workItem.taskId));
      move.before = { ...move.before, ...pickCard(workItem) };
      if (move.open === 1) this.takeOver(workItem);
      else this.#putVersion(id, workItem.version);
      if (cascaded.length > 0) this.#renewSoon(cascaded.map((parent) => parent.id));
      if (from.columnId !== to.id) {
        const undo = async () => {
          const [{ moveBack }] = await Promise.all([import('../change/move.ts'), laterTexts()]);
          await moveBack({ workItem, cascaded }, from).finally(() => this.#renewSoon([id]));
        };
        did(words.moved({ taskId: workItem.taskId, column: to.name }), undo);
      }
    } catch (error) {
      move.isTakenBack = true;
      this.#takeBack(move.before, error, (lacked) => this.move(id, to, place, { ...how, [lacked]: true }));
    } finally {
      move.open--;
      if (move.open === 0) {
        this.#moves.delete(id);
        if (move.hasNews) this.#renewSoon([id]);
      }
    }
  }

  /** @param insist moves it although something is in the way */
  #takeBack(before: Card, error: unknown, insist: (lacked: Insistence) => void): void {
    const current = currentOf<WorkItem>(error);
    this.#remove(before.id);
    if (!current) {
      this.#put(before);
      const { taskId, lease } = before;
      const lacked = lackedBy(error);
      this.#renewSoon([before.id]);
      if (!lacked) {
        tellFailure(words.notMoved({ taskId }), error);
        return;
      }
      const why = lacked === 'takeOver' && lease ? new Error(words.held({ taskId, agent: lease.agent })) : error;
      void askAnyway(why, lacked === 'force').then((isMeant) => isMeant && insist(lacked));
      return;
    }
    if (current.boardId === this.board.id) this.#put({ ...before, ...pickCard(current) });
    tell(words.overtaken({ taskId: current.taskId, column: current.columnName }), {
      label: words.understood,
      run: () => {},
    });
    this.#renewSoon([before.id]);
  }

  /** Others' changes, and those from one's own other tabs. */
  hear({ subject, projectId, data }: LoggedEvent): void {
    if (subject.kind !== 'work_item' || projectId !== this.board.projectId) return;
    this.#showTold(subject.id, (data.changes ?? {}) as Changes);
    this.#renewSoon([subject.id]);
  }

  /** Before the card is read again, for which all open boards ask at once: what is still as it was before the change. */
  #showTold(id: string, changes: Changes): void {
    const card = this.find(id)?.card;
    const told = TOLD.filter((field) => card && changes[field] && changes[field].from === card[field]);
    if (card && told.length > 0) {
      this.#put({ ...card, ...Object.fromEntries(told.map((field) => [field, changes[field]?.to])) });
    }
  }

  /** An agent's progress, which is in no event of the log. */
  hearBeat({ workItemId, lease }: Beat): void {
    const found = this.find(workItemId);
    if (found && isNews(lease, found.card.lease)) this.#put({ ...found.card, lease });
  }

  /** What is changed here otherwise than by a move, before it is answered (change/shown.ts). */
  change(all: readonly Shown[]): void {
    for (const { id, fields } of all) {
      const found = this.find(id);
      if (!found) continue;
      if (fields.epic !== undefined) this.#regrouped.add(id);
      this.#put({ ...found.card, ...fields });
    }
  }

  reread(ids: readonly string[]): void {
    this.#renewSoon(ids);
  }

  #renewSoon(ids: readonly string[]): void {
    for (const id of ids) this.#changed.add(id);
    this.#renewPaced();
  }

  async #renew(): Promise<void> {
    const { search, ...filters } = this.filters;
    // Only the service knows what else a search finds: columns are read again for that (card-list.tsx).
    const ids = [...this.#changed].filter((id) => !search || this.find(id));
    this.#changed = new Set();
    const news: News = new Map();
    this.#readsUnderWay.add(news);
    try {
      const found = new Map<string, Card>();
      for (let at = 0; at < ids.length; at += MAX_BY_ID) {
        const { cards } = await this.#ask({ ids: ids.slice(at, at + MAX_BY_ID), ...filters });
        for (const card of cards) found.set(card.id, card);
      }
      const isRegrouped = ids.some((id) => this.#isRegrouped(id, found.get(id)));
      for (const id of ids) {
        const move = this.#moves.get(id);
        // What is being moved here stays where it is shown until that is answered.
        if (move) {
          move.hasNews = true;
          continue;
        }
        const card = found.get(id);
        const known = news.get(id);
        const told = known ? TOLD.map((field) => [field, known[field]]) : [];
        if (!card) this.#remove(id);
        else if ((this.find(id)?.card.version ?? 0) <= card.version)
          this.#put({ ...card, ...Object.fromEntries(told) });
      }
      // With other filters: requested again when they are looked at.
      const which = isRegrouped ? {} : ({ type: 'inactive', refetchType: 'none' } as const);
      void queries.invalidateQueries({ queryKey: ['cards', this.board.id], ...which });
      this.#recountSoon();
    } catch {
      setTimeout(() => this.#renewSoon(ids), RETRY_MS);
    } finally {
      this.#readsUnderWay.delete(news);
    }
  }

  /** Whether an item has gone to another lane with others below it, of which no event tells. */
  #isRegrouped(id: string, card: Card | undefined): boolean {
    const shown = this.by === 'epic' ? this.find(id)?.card : undefined;
    const isElsewhere = this.#regrouped.delete(id) || (shown !== undefined && shown.epic?.id !== card?.epic?.id);
    const isAbove = (cell: Cell) => this.cardsIn(cell.column.id, cell.lane).some(({ parentId }) => parentId === id);
    return isElsewhere && this.#cells().some(isAbove);
  }

  /** If a column was read to its end, the number is known. */
  #recountSoon(): void {
    const isPartlyRead = ({ column, lane }: Cell) => this.#read(column.id, lane)?.pages.at(-1)?.nextCursor;
    if (this.#isRecountDue || !(this.by || this.#cells().some(isPartlyRead))) return;
    this.#isRecountDue = true;
    setTimeout(async () => {
      this.#isRecountDue = false;
      if (this.by) void queries.invalidateQueries({ queryKey: lanesKey(this.board.id) });
      const partlyRead = this.#cells().filter(isPartlyRead);
      for (const lane of new Set(partlyRead.map((cell) => cell.lane))) {
        const counted = await this.#open(lane, 1).catch(() => undefined);
        for (const { column } of partlyRead.filter((cell) => cell.lane === lane)) {
          const { pagination } = counted?.columns.find(({ boardColumnId }) => boardColumnId === column.id) ?? {};
          if (pagination) this.#write(column.id, lane, (data) => withTotal(data, pagination));
        }
      }
    }, RECOUNT_AFTER_MS);
  }

  /** Undefined: it was not read yet. */
  totalIn(columnId: string, lane?: string): number | undefined {
    const data = this.#read(columnId, lane);
    return data && totalOf(data);
  }

  /** Of all columns. */
  total(lane?: string): number | undefined {
    return this.board.columns.reduce<number | undefined>((sum, { id }) => {
      const total = this.totalIn(id, lane);
      return sum === undefined || total === undefined ? undefined : sum + total;
    }, 0);
  }

  #ask(input: Omit<RawInput<typeof listCards>, 'id'>, signal?: AbortSignal): Promise<Output<typeof listCards>> {
    return call<typeof listCards>('GET /api/boards/:id/cards', { id: this.board.id, ...input }, { signal });
  }

  #read(columnId: string, lane?: string): CardPages | undefined {
    return queries.getQueryData<CardPages>(this.keyOf(columnId, lane));
  }

  #write(columnId: string, lane: string | undefined, change: (data: CardPages) => CardPages): void {
    const data = this.#read(columnId, lane);
    const changed = data && change(data);
    // What stays the same need not be drawn again.
    if (changed !== data) queries.setQueryData<CardPages>(this.keyOf(columnId, lane), changed);
  }

  #isIn(card: Card, columnId: string, lane: string | undefined): boolean {
    return columnId === card.boardColumnId && (lane === undefined || lane === this.laneOf(card));
  }

  #put(card: Card): void {
    for (const news of this.#readsUnderWay) news.set(card.id, card);
    for (const { column, lane } of this.#cells()) {
      const isIn = this.#isIn(card, column.id, lane);
      this.#write(column.id, lane, (data) => (isIn ? withCard(data, card) : withoutCard(data, card.id)));
    }
  }

  #putVersion(id: string, version: number): void {
    const found = this.find(id);
    if (found) this.#put({ ...found.card, version });
  }

  /** A write's answer has no cost and no dependencies: these stay. */
  takeOver(item: WorkItem): void {
    const found = this.find(item.id);
    if (found) this.#put({ ...found.card, ...pickCard(item) });
  }

  #remove(id: string): void {
    for (const news of this.#readsUnderWay) news.set(id, undefined);
    for (const { column, lane } of this.#cells()) this.#write(column.id, lane, (data) => withoutCard(data, id));
  }
}

function pickCard({ description: _, metadata: __, createdAt: ___, updatedAt: ____, ...card }: WorkItem) {
  return card;
}
