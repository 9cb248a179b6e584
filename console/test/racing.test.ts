import type { HistoryEvent } from '@worktrack/contracts/work-items/history-event';
import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { caller, type TestOrganization } from '../../test/support/organization.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

/** `RACING_MOVES=1000 npm test -- console/test/racing` is the long form; `RACING_SEED` repeats what is moved where, but not which moves coincide. */
const MOVES = Number(process.env.RACING_MOVES ?? 90);
const SEED = Number(process.env.RACING_SEED ?? Date.now() % 2 ** 31);
const MS_PER_MOVE = 1_500;
/** So few that two often move the same one at once. */
const CARDS = 4;
const EQUAL_WITHIN_MS = 60_000;

const stage = openStage();

/** A move, and how the service answered it. */
interface Move {
  readonly cardId: string;
  /** What the mover had seen. */
  readonly from: number;
  /** What it became; undefined if somebody else was faster. */
  readonly to: number | undefined;
}

/** Takes one number after another, and does something with each. */
interface Racer {
  readonly moves: Move[];
  move(n: number): Promise<void>;
}

/** Moves through the board's own menu, as shown at that moment, and records the page's requests and their answers. */
function personAt(page: Page, cards: readonly WorkItem[]): Racer {
  const moves: Move[] = [];
  return {
    moves,
    async move(n) {
      const { taskId } = cards[n % cards.length] as WorkItem;
      const answered = page.waitForResponse(/\/move$/);
      // At once, because a card may be somewhere else by the time a mouse gets there.
      const isMoved = await page.evaluate(
        async ([label, at]) => {
          // Until it is there: others move the card meanwhile, which takes the menu away with it.
          for (let tries = 0; tries < 100; tries++) {
            document.querySelector<HTMLElement>(`[aria-label="${label}"][aria-expanded="false"]`)?.click();
            await new Promise(requestAnimationFrame);
            const items = [...document.querySelectorAll<HTMLElement>(`.menu[aria-label="${label}"] [role=menuitem]`)];
            const others = items.filter((item) => item.ariaDisabled !== 'true' && item.textContent.startsWith('To '));
            others[at % others.length]?.click();
            if (others.length > 0) return true;
          }
          return false;
        },
        [`Move ${taskId}`, Math.floor(n / cards.length)] as const,
      );
      if (!isMoved) throw new Error(`${taskId} is not on the board.`);
      // Back from a review: the board first asks why.
      const reason = page.getByRole('dialog').getByRole('textbox');
      const isAsked = reason.waitFor({ timeout: 0 }).then(
        () => true,
        () => false,
      );
      if (await Promise.race([isAsked, answered.then(() => false)])) {
        await reason.fill('Not yet.');
        await reason.press('Control+Enter');
      }
      const response = await answered;
      const request = response.request();
      const [, cardId = ''] = /work-items\/([^/]+)\/move/.exec(request.url()) ?? [];
      const from = Number(request.headers()['if-match']?.replaceAll('"', ''));
      if (response.status() !== 409) expect(response.status()).toBe(200);
      const body = (await response.json()) as { data?: { workItem: WorkItem } };
      moves.push({ cardId, from, to: body.data?.workItem.version });
    },
  };
}

/** Reads and moves through the API. */
function agent({ call, columns }: TestOrganization, cards: readonly WorkItem[]): Racer {
  const moves: Move[] = [];
  const columnIds = Object.values(columns);
  return {
    moves,
    async move(n) {
      const { id } = cards[n % cards.length] as WorkItem;
      const { version, boardColumnId } = (await call<WorkItem>('GET', `/api/work-items/${id}`)).data;
      const others = columnIds.filter((column) => column !== boardColumnId);
      const to = others[Math.floor(n / cards.length) % others.length];
      const answer = await call<{ workItem: WorkItem }>('POST', `/api/work-items/${id}/move`, {
        ...{ boardColumnId: to, version, position: 'first' },
      });
      if (answer.status !== 409) expect(answer.status).toBe(200);
      moves.push({ cardId: id, from: version, to: answer.data?.workItem.version });
    },
  };
}

/** The task IDs in each column, from the top, as a board shows them. */
function shownOn(page: Page): Promise<Record<string, string[]>> {
  return page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll<HTMLElement>('.column')].map((column) => [
        column.dataset.column,
        [...column.querySelectorAll('.column-entry')]
          .toSorted((a, b) => Number(a.getAttribute('data-index')) - Number(b.getAttribute('data-index')))
          .map((entry) => entry.querySelector('.card-id')?.textContent ?? ''),
      ]),
    ),
  );
}

async function stored({ boardId, call, columns }: TestOrganization): Promise<Record<string, string[]>> {
  const all = Object.values(columns).map(async (id) => {
    const { data } = await call<{ cards: Card[] }>('GET', `/api/boards/${boardId}/cards?boardColumnId=${id}`);
    return [id, data.cards.map(({ taskId }) => taskId)] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

test(
  'when two browsers and an agent move the same cards, no move is lost or overwritten unseen, and both boards end up equal',
  async () => {
    console.log(`RACING_SEED=${SEED}, ${MOVES} moves`);
    const organization = await stage.newOrganization();
    const { call } = organization;
    const cards: WorkItem[] = [];
    for (let n = 1; n <= CARDS; n++) cards.push(await createItem(organization, { title: `Card ${n}` }));
    const visitors = [];
    for (const name of ['One', 'The other']) {
      const { data } = await call<{ key: string }>('POST', '/api/api-keys', { name, rateLimit: { requests: 0 } });
      visitors.push(await stage.visit('board', { apiKey: data.key }));
    }
    for (const { page } of visitors) {
      await expect.poll(() => page.locator('.card').count()).toBe(CARDS);
      await page.evaluate(() => {
        const told: string[] = [];
        Object.assign(globalThis, { told });
        const toasts = document.querySelector('.toasts') as HTMLElement;
        const watch = new MutationObserver((changes) => {
          for (const { addedNodes } of changes) for (const node of addedNodes) told.push(node.textContent ?? '');
        });
        watch.observe(toasts, { childList: true });
      });
    }
    const { data: key } = await call<{ key: string }>('POST', '/api/api-keys', {
      ...{ name: 'An agent', rateLimit: { requests: 0 } },
    });
    const calls = { ...organization, call: caller(stage.url, key.key) };
    const people = visitors.map(({ page }) => personAt(page, cards));
    const racers = [...people, agent(calls, cards)];
    const numbers = fc.sample(fc.nat(1_000_000), { seed: SEED, numRuns: MOVES });
    // The same numbers at about the same time, so that they go for the same cards.
    const shares = racers.map((_, at) => numbers.filter((_n, index) => index % racers.length === at));
    await Promise.all(
      racers.map(async (racer, at) => {
        for (const [turn, n] of (shares[at] ?? []).entries()) {
          const card = (shares[0]?.[turn] ?? n) % CARDS;
          await racer.move(n - (n % CARDS) + card);
        }
      }),
    );

    const moves = racers.flatMap((racer) => racer.moves);
    expect(moves.length).toBe(MOVES);
    const done = moves.filter(({ to }) => to !== undefined);
    console.log(`${done.length} were made, ${MOVES - done.length} refused`);
    expect(done.length).toBeLessThan(MOVES);
    for (const { id } of cards) {
      const ofCard = done.filter(({ cardId }) => cardId === id).toSorted((a, b) => (a.to ?? 0) - (b.to ?? 0));
      // Each mover had seen what the one before had made of it.
      expect(ofCard.map(({ from }) => from)).toEqual(
        [1, ...ofCard.slice(0, -1).map(({ to }) => to)].slice(0, ofCard.length),
      );
      const path = `/api/work-items/${id}/events?eventType=moved&limit=1`;
      const { data } = await call<{ totalEvents: number; events: HistoryEvent[] }>('GET', path);
      expect(data.totalEvents).toBe(ofCard.length);
    }
    // Everybody whose move was refused was told so.
    for (const [at, { page }] of visitors.entries()) {
      const refused = people[at]?.moves.filter(({ to }) => to === undefined).length;
      const told = () => page.evaluate(() => (globalThis as unknown as { told: string[] }).told);
      await expect
        .poll(async () => (await told()).filter((text) => text.startsWith('Somebody else changed')).length)
        .toBe(refused);
      const others = (await told()).filter((text) => !text.includes(' moved to '));
      expect(others.length).toBe(refused);
    }
    const end = await stored(organization);
    for (const { page, complaints } of visitors) {
      await expect.poll(() => shownOn(page), { timeout: EQUAL_WITHIN_MS }).toEqual(end);
      expect(complaints).toEqual([]);
    }
  },
  MOVES * MS_PER_MOVE + 120_000,
);
