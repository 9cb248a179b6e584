import { signal } from '@preact/signals';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Output, RawInput } from '@worktrack/contracts/operation';
import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import type { Card, Grouping, listGroups, listProjectCards } from '@worktrack/contracts/work-items/lists/cards';
import { call } from '../api/call.ts';
import type { Shown } from '../change/shown.ts';
import { paced } from '../live/paced.ts';
import { isNews } from '../parts/item/lease.ts';
import type { ItemFilters } from '../views/filters/filters.ts';
import { groupsOf } from '../views/groups/groups-of.ts';
import { byPosition, type Order, orderOf } from './order.ts';
import { type Changed, type Section, withCards } from './section.ts';

/** What is listed, and how. */
export interface ListOf {
  readonly projectId: string;
  readonly boardId: string | undefined;
  readonly filters: ItemFilters;
  readonly sort: string | undefined;
  readonly groupBy: Grouping | undefined;
}

type Page = Output<typeof listProjectCards>;

export const PAGE_SIZE = 100;
/** The most that the service reads by ids at once. */
const MAX_BY_ID = 100;
/** What others change is requested no more often than this. */
const RENEW_EVERY_MS = 150;
const RECOUNT_EVERY_MS = 1_000;
const RETRY_MS = 3_000;

/**
 * A list of work items as it is shown: what was read, page by page, and what is changed by others and here. It is the answer of one query, so that it is
 * there again when one comes back, and is read anew after a break in the stream.
 */
export class ListCards {
  readonly of: ListOf;
  /** Changes whenever the list does. */
  readonly version = signal(0);
  sections: readonly Section[] = [];
  #index: { readonly of: readonly Section[]; readonly byId: ReadonlyMap<string, Card> } = { of: [], byId: new Map() };
  readonly #order: Order;
  readonly #reading = new Set<string | undefined>();
  /** What events told while something was being read: its answer may be from before them. */
  #heard = new Set<string>();
  #changed = new Set<string>();
  readonly #renewPaced = paced(() => this.#renew(), RENEW_EVERY_MS);
  readonly #recountPaced = paced(() => this.#recount(), RECOUNT_EVERY_MS);

  private constructor(of: ListOf) {
    this.of = of;
    const isOneColumn = String(of.filters.boardColumnId ?? ',').split(',').length === 1;
    this.#order = of.sort === undefined && (isOneColumn || of.groupBy === 'column') ? byPosition : orderOf(of.sort);
  }

  static keyOf = (of: ListOf) => ['list', of.projectId, of];

  /** Lists that are being read for the first time, or again. */
  static readonly #opening = new Set<ListCards>();

  /** @param shown what was read of it before: it is read as far again, for whoever has scrolled there, or selected what is there */
  static async open(of: ListOf, signal: AbortSignal, shown?: ListCards): Promise<ListCards> {
    const list = new ListCards(of);
    ListCards.#opening.add(list);
    try {
      if (of.groupBy) list.#takeGroups(await list.#groups(signal));
      else list.#takePage(undefined, await list.#page(undefined, undefined, signal));
      if (shown) for (const { key } of shown.sections) await list.#readAsFarAs(shown, key, signal);
    } finally {
      ListCards.#opening.delete(list);
    }
    list.#renewSoon(list.#heard);
    return list;
  }

  /** Others' changes, and those from one's own other tabs. */
  static hear({ subject, projectId }: LoggedEvent, shown: ListCards | undefined): void {
    if (subject.kind !== 'work_item') return;
    for (const list of ListCards.#opening) if (projectId === list.of.projectId) list.#heard.add(subject.id);
    if (projectId === shown?.of.projectId) shown?.reread([subject.id]);
  }

  /** An agent's progress, which is in no event of the log. */
  hearBeat({ workItemId, lease }: Beat): void {
    const found = this.find(workItemId);
    if (found && isNews(lease, found.card.lease)) this.#put(new Map([[workItemId, { ...found.card, lease }]]));
  }

  /** What is changed here, before it is answered (change/shown.ts). */
  change(all: readonly Shown[]): void {
    const changed = all.flatMap(({ id, fields }) => {
      const found = this.find(id);
      return found ? [[id, { ...found.card, ...fields }] as const] : [];
    });
    this.#put(new Map(changed));
  }

  reread(ids: readonly string[]): void {
    if (this.#reading.size > 0) for (const id of ids) this.#heard.add(id);
    this.#renewSoon(ids);
  }

  /** It is asked for thousands that are selected. */
  find(id: string): { readonly card: Card } | undefined {
    if (this.#index.of !== this.sections) {
      const cards = this.sections.flatMap((section) => section.cards.map((card) => [card.id, card] as const));
      this.#index = { of: this.sections, byId: new Map(cards) };
    }
    const card = this.#index.byId.get(id);
    return card && { card };
  }

  /** How many it takes to read it again. */
  get requests(): number {
    const groups = this.of.groupBy ? 1 : 0;
    return this.sections.reduce((sum, { cards }) => sum + Math.ceil(cards.length / PAGE_SIZE), groups);
  }

  /** Of all groups; a card with several labels counts in each. */
  get total(): number {
    return this.sections.reduce((sum, { count }) => sum + count, 0);
  }

  /** Reads the next page of a section, unless that is going on. */
  async readOn(key: string | undefined): Promise<void> {
    const section = this.#section(key);
    if (!section || section.cursor === null || section.error !== undefined || this.#reading.has(key)) return;
    this.#reading.add(key);
    try {
      this.#takePage(key, await this.#page(key, section.cursor ?? undefined));
    } catch (error) {
      this.#write(key, () => ({ error }));
    } finally {
      this.#reading.delete(key);
    }
    if (this.#reading.size > 0) return;
    this.#renewSoon(this.#heard);
    this.#heard = new Set();
  }

  async #readAsFarAs(shown: ListCards, key: string | undefined, signal: AbortSignal): Promise<void> {
    for (;;) {
      const section = this.#section(key);
      const far = shown.#section(key)?.cards.length ?? 0;
      if (!section || section.cursor === null || section.cards.length >= far) return;
      this.#takePage(key, await this.#page(key, section.cursor, signal));
    }
  }

  async retry(key: string | undefined): Promise<void> {
    this.#write(key, () => ({ error: undefined }));
    await this.readOn(key);
  }

  #ask(input: Partial<RawInput<typeof listProjectCards>>, signal?: AbortSignal): Promise<Page> {
    const { projectId, boardId, filters } = this.of;
    const all = { id: projectId, ...(boardId && { boardId }), ...filters, ...input };
    return call<typeof listProjectCards>('GET /api/projects/:id/cards', all, { signal });
  }

  #page(group: string | undefined, cursor: string | undefined, signal?: AbortSignal): Promise<Page> {
    const { sort, groupBy } = this.of;
    const part = { ...(group !== undefined && { groupBy, group }), ...(cursor && { cursor }) };
    return this.#ask({ ...part, ...(sort && { sort }), limit: PAGE_SIZE }, signal);
  }

  #groups(signal?: AbortSignal): Promise<Output<typeof listGroups>> {
    const { projectId, boardId, filters, groupBy = 'column' } = this.of;
    const input = { id: projectId, ...(boardId && { boardId }), ...filters, groupBy };
    return call<typeof listGroups>('GET /api/projects/:id/cards/groups', input, { signal });
  }

  #section(key: string | undefined): Section | undefined {
    return this.sections.find((section) => section.key === key);
  }

  #takeGroups({ groups, totalIsLowerBound }: Output<typeof listGroups>): void {
    const isAtLeast = totalIsLowerBound === true;
    const known = new Map(this.sections.map((section) => [section.key, section]));
    this.sections = groups.map((group) => ({
      cards: [],
      cursor: undefined,
      ...known.get(group.key),
      ...group,
      isAtLeast,
    }));
    this.version.value++;
  }

  #takePage(key: string | undefined, { cards, pagination, nextCursor }: Page): void {
    if (key === undefined && this.sections.length === 0)
      this.sections = [{ key, name: null, count: 0, isAtLeast: false, cards: [], cursor: undefined }];
    this.#write(key, (section) => {
      const known = new Set(section.cards.map(({ id }) => id));
      return {
        cards: [...section.cards, ...cards.filter(({ id }) => !known.has(id))],
        cursor: nextCursor,
        count: pagination.total,
        isAtLeast: pagination.totalIsLowerBound === true,
      };
    });
  }

  #write(key: string | undefined, change: (section: Section) => Partial<Section>): void {
    this.sections = this.sections.map((section) =>
      section.key === key ? { ...section, ...change(section) } : section,
    );
    this.version.value++;
  }

  #put(changed: Changed): void {
    const { groupBy, filters } = this.of;
    const how = { order: this.#order, isFound: Boolean(filters.search) };
    this.sections = this.sections.map((section) => {
      const isIn = (card: Card) => !groupBy || groupsOf(card, groupBy).includes(section.key ?? '');
      return withCards(section, changed, { ...how, isIn });
    });
    this.version.value++;
  }

  #renewSoon(ids: Iterable<string>): void {
    for (const id of ids) this.#changed.add(id);
    if (this.#changed.size > 0) this.#renewPaced();
  }

  async #renew(): Promise<void> {
    // Only the service knows what else a search finds: the list is read again for that (screen.tsx).
    const ids = [...this.#changed].filter((id) => !this.of.filters.search || this.find(id));
    this.#changed = new Set();
    try {
      for (let at = 0; at < ids.length; at += MAX_BY_ID) {
        const part = ids.slice(at, at + MAX_BY_ID);
        const { cards } = await this.#ask({ ids: part, search: undefined });
        const found = new Map(cards.map((card) => [card.id, card]));
        const isOlder = (id: string) => (this.find(id)?.card.version ?? 0) > (found.get(id)?.version ?? Infinity);
        this.#put(new Map(part.filter((id) => !isOlder(id)).map((id) => [id, found.get(id)])));
      }
      this.#recountPaced();
    } catch {
      setTimeout(() => this.#renewSoon(ids), RETRY_MS);
    }
  }

  /** What was not read may have changed groups, or have come or gone. */
  async #recount(): Promise<void> {
    if (this.of.groupBy) {
      this.#takeGroups(await this.#groups());
      return;
    }
    if (this.sections[0]?.cursor === null) return;
    const { pagination } = await this.#ask({ limit: 1 });
    this.#write(undefined, () => ({ count: pagination.total, isAtLeast: pagination.totalIsLowerBound === true }));
  }
}
