import type { TestOrganization } from '../support/organization.ts';
import type { Ledger } from './ledger.ts';

/** Whatever in the ledger the system does not show once and whole. */
export interface Differences {
  readonly lost: string[];
  readonly doubled: string[];
  readonly torn: string[];
  /** Acknowledged versions of one item that do not count up. */
  readonly outOfOrder: string[];
}

interface Item {
  readonly id: string;
  readonly title: string;
  readonly columnName: string;
  readonly version: number;
  readonly isAiProcessing: boolean;
  readonly metadata: { readonly count?: number };
}
interface Event {
  readonly eventType: string;
  readonly data: Record<string, unknown>;
}

/** Reads the whole state of the organization and checks the ledger against it. */
export async function compare(ledger: Ledger, organization: TestOrganization): Promise<Differences> {
  const differences: Differences = { lost: [], doubled: [], torn: [], outOfOrder: [] };
  await compareItems(ledger, organization, differences);
  await compareFeedback(ledger, organization, differences);
  await compareUsage(ledger, organization, differences);
  return differences;
}

async function compareItems(ledger: Ledger, organization: TestOrganization, found: Differences): Promise<void> {
  const created = ledger.of('created');
  const titles = Map.groupBy(await allTitles(organization), (title) => title);
  for (const { title } of created) {
    const times = titles.get(title)?.length ?? 0;
    if (times === 0) found.lost.push(`item ${title}`);
    if (times > 1) found.doubled.push(`item ${title}, ${times} times`);
  }
  for (const { itemId } of created) await compareItem(itemId, ledger, organization, found);
}

async function compareItem(
  itemId: string,
  ledger: Ledger,
  { call }: TestOrganization,
  found: Differences,
): Promise<void> {
  const item = (await call<Item>('GET', `/api/work-items/${itemId}`)).data;
  const history = await call<{ events: Event[] }>('GET', `/api/work-items/${itemId}/events?limit=200`);
  const events = history.data.events.toReversed();
  const ofType = (eventType: string) => events.filter((event) => event.eventType === eventType);
  const once = (what: string, expected: readonly unknown[], seen: readonly unknown[]) => {
    if (seen.length < expected.length) found.lost.push(`${what} of ${itemId}: ${seen.length} of ${expected.length}`);
    if (seen.length > expected.length)
      found.doubled.push(`${what} of ${itemId}: ${seen.length}, not ${expected.length}`);
    if (seen.length === expected.length && JSON.stringify(seen) !== JSON.stringify(expected)) {
      found.torn.push(`${what} of ${itemId}: ${JSON.stringify(seen)}, not ${JSON.stringify(expected)}`);
    }
  };

  const completed = ledger.about('completed', itemId);
  const columns = [...ledger.about('moved', itemId).map(({ toColumn }) => toColumn), ...completed.map(() => 'Review')];
  once(
    'creation',
    [0],
    ofType('created').map(() => 0),
  );
  once(
    'moves',
    columns,
    ofType('moved').map(({ data }) => data.toColumn),
  );
  once(
    'comments',
    ledger.about('commented', itemId).map(({ text }) => text),
    ofType('comment').map(({ data }) => data.text),
  );
  once(
    'sessions',
    completed.map(({ sessionId }) => sessionId),
    ofType('ai_session').map(({ data }) => data.id),
  );

  const lastColumn = columns.at(-1) ?? 'Backlog';
  if (item.columnName !== lastColumn)
    found.torn.push(`${itemId} is in ${item.columnName}, its history ends in ${lastColumn}`);
  const lastCount = ledger.about('updated', itemId).at(-1)?.count;
  if (item.metadata.count !== lastCount)
    found.lost.push(`update of ${itemId}: ${item.metadata.count}, not ${lastCount}`);
  if (completed.length > 0 && item.isAiProcessing)
    found.torn.push(`${itemId} was completed and is still being processed`);

  const versions = ledger.allAbout(itemId).flatMap((entry) => ('version' in entry ? [entry.version] : []));
  if (versions.some((version, index) => index > 0 && version <= (versions[index - 1] ?? 0))) {
    found.outOfOrder.push(`${itemId}: ${versions.join(', ')}`);
  }
}

async function compareFeedback(ledger: Ledger, { call }: TestOrganization, found: Differences): Promise<void> {
  const seen = new Map<string, string[]>();
  for (let cursor = ''; ; ) {
    const page = await call<{ items: { id: string; message: string }[]; nextCursor: string | null }>(
      'GET',
      `/api/feedback/items?limit=100${cursor}`,
    );
    for (const { id, message } of page.data.items) seen.set(message, [...(seen.get(message) ?? []), id]);
    if (page.data.nextCursor === null) break;
    cursor = `&cursor=${encodeURIComponent(page.data.nextCursor)}`;
  }
  for (const { message, feedbackId } of ledger.of('submitted')) {
    const ids = seen.get(message) ?? [];
    if (ids.length === 0) found.lost.push(message);
    if (ids.length > 1) found.doubled.push(message);
    if (ids.length === 1 && ids[0] !== feedbackId)
      found.torn.push(`${message} is ${ids[0]}, answered was ${feedbackId}`);
  }
}

async function compareUsage(ledger: Ledger, { call, projectId }: TestOrganization, found: Differences): Promise<void> {
  const usage = await call<{ totals: { sessions: number; totalTokens: number } }>(
    'GET',
    `/api/ai-usage?projectId=${projectId}`,
  );
  const completed = ledger.of('completed');
  const tokens = completed.reduce((sum, { totalTokens }) => sum + totalTokens, 0);
  const { totals } = usage.data;
  if (totals.sessions !== completed.length || totals.totalTokens !== tokens) {
    found.torn.push(
      `usage is ${totals.sessions} sessions and ${totals.totalTokens} tokens, not ${completed.length} and ${tokens}`,
    );
  }
}

async function allTitles({ call }: TestOrganization): Promise<string[]> {
  const titles: string[] = [];
  for (let page = 1; ; page++) {
    const { data } = await call<{ workItems: Item[]; pagination: { totalPages: number } }>(
      'GET',
      `/api/work-items?limit=100&page=${page}`,
    );
    titles.push(...data.workItems.map(({ title }) => title));
    if (page >= data.pagination.totalPages) return titles;
  }
}
