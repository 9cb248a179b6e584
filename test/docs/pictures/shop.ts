import { MongoClient } from 'mongodb';
import type { TestOrganization } from '../../support/organization.ts';

const DAY_MS = 24 * 60 * 60_000;
/** The number of days over which the work was done. */
const DAYS = 30;

interface Item {
  readonly id: string;
  readonly taskId: string;
}

/** A month of work on a web shop, as the pictures of the documentation show it. @returns the epic whose plan is worth a look */
export async function makeShop(organization: TestOrganization): Promise<Item> {
  const { projectId, boardId, userId } = organization;
  const call = async <T = Item>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await organization.call<T>(method, path, body);
    if (!answer.success) throw new Error(`${method} ${path}: ${answer.error.message}`);
    return answer.data;
  };
  const create = (type: string, title: string, more: Record<string, unknown> = {}) =>
    call('POST', '/api/work-items', { type, title, projectId, boardId, boardColumnId: 'Backlog', ...more });
  const taskOf =
    (parent: Item) =>
    (title: string, needs: readonly Item[] = [], more: Record<string, unknown> = {}) =>
      create('task', title, {
        ...{ parentId: parent.id, boardColumnId: 'To Do', dependsOn: needs.map(({ taskId }) => taskId) },
        ...more,
      });
  const claim = async ({ id }: Item, agent: string): Promise<string> => {
    const claimed = { ids: [id], agent, leaseSeconds: 3_600 };
    return (await call<{ lease: { token: string } }>('POST', '/api/work-items/claim', claimed)).lease.token;
  };
  const tell = async ({ id }: Item, leaseToken: string, told: Record<string, unknown>) =>
    call('POST', `/api/work-items/${id}/progress`, { leaseToken, ...told });
  const finish = async (
    item: Item,
    agent: string,
    model: string,
    provider: string,
    totalTokens: number,
    to?: string,
  ) => {
    const report = { model, provider, totalTokens, durationMs: totalTokens * 6 };
    const leaseToken = await claim(item, agent);
    await call('POST', `/api/work-items/${item.id}/ai-completion`, { reviewColumnId: 'Review', leaseToken, ...report });
    if (to) await call('POST', `/api/work-items/${item.id}/move`, { boardColumnId: to });
  };

  await call('PATCH', `/api/users/${userId}`, { name: 'Ada' });
  await call('PATCH', `/api/projects/${projectId}`, { name: 'Web shop' });
  const dark = await create('epic', 'A dark theme for the shop');
  const checkout = await create('epic', 'Checkout in one step');
  const colours = taskOf(await create('feature', 'Colours as tokens', { parentId: dark.id }));
  const pictures = taskOf(await create('feature', 'Pictures on dark surfaces', { parentId: dark.id }));
  const payment = taskOf(await create('feature', 'Payment', { parentId: checkout.id }));

  const tokens = await colours('Name every colour as a token', [], { priority: 'high' });
  const logo = await pictures('A logo for dark surfaces');
  const palette = await colours('Define the dark palette', [tokens]);
  const cart = await colours('Use the tokens in the cart', [palette], { priority: 'high' });
  const forms = await colours('Use the tokens in forms', [palette]);
  const photos = await pictures('Cut out the product photos', [logo], { priority: 'low' });
  const choice = await colours('Let people choose the theme', [palette]);
  const compare = await colours('Compare every page in both themes', [cart, forms, photos], { priority: 'urgent' });
  await colours('Announce the dark theme', [compare, choice]);
  const address = await payment('Complete addresses as they are typed');
  const card = await payment('Keep the card for the next order', [address]);
  await payment('One page instead of four', [card], { priority: 'high' });

  await finish(tokens, 'ines', 'claude-sonnet-4-5', 'anthropic', 1_640_000, 'Done');
  await finish(logo, 'bo', 'gpt-5', 'openai', 720_000, 'Done');
  await finish(palette, 'ines', 'claude-sonnet-4-5', 'anthropic', 980_000, 'Testing');
  await finish(address, 'tarik', 'gemini-2.5-pro', 'google', 1_120_000);
  const told = { model: 'claude-sonnet-4-5', provider: 'anthropic' };
  await tell(cart, await claim(cart, 'ines'), {
    ...{ ...told, note: 'Buttons and totals are done, the form is next', progress: 0.6, totalTokens: 410_000 },
  });
  await tell(choice, await claim(choice, 'bo'), {
    ...{ ...told, state: 'awaiting_input', progress: 0.3, totalTokens: 170_000 },
    question: 'Should the choice be saved for this browser or for the account?',
  });
  await tell(photos, await claim(photos, 'tarik'), { ...told, note: '38 of 120 photos', progress: 0.32 });
  const spent = [tokens, palette, address, card, logo, cart, photos];
  const models = [
    ['claude-sonnet-4-5', 'anthropic'],
    ['gpt-5', 'openai'],
    ['claude-sonnet-4-5', 'anthropic'],
    ['gemini-2.5-pro', 'google'],
  ] as const;
  for (let n = 0; n < 44; n++) {
    const [model, provider] = models[n % models.length] ?? models[0];
    // As uneven as real work, and the same in each run.
    const totalTokens = 120_000 + ((n * 7_919) % 37) * 24_000;
    const session = { model, provider, totalTokens, durationMs: totalTokens * 5 };
    await call('POST', `/api/work-items/${spent[n % spent.length]?.id}/ai-sessions`, session);
  }
  await call('PUT', `/api/work-items/${dark.id}/budget`, { limitUsd: 200 });
  await call('PUT', `/api/work-items/${checkout.id}/budget`, { limitUsd: 60 });
  await call('PUT', `/api/projects/${projectId}/budget`, { limitUsd: 400, period: 'month' });

  const { publicKey } = await call<{ publicKey: string }>('POST', '/api/feedback/sources', {
    ...{ type: 'server', name: 'Shop', requireCaptcha: false },
  });
  for (const [category, message] of FEEDBACK) {
    const { token } = await call<{ token: string }>('GET', `/feedback/widget/bootstrap?publicKey=${publicKey}`);
    await call('POST', '/feedback/ingest', { publicKey, token, message, category });
  }
  return dark;
}

const FEEDBACK = [
  ['praise', 'The new search is wonderful, I found the lamp at once.'],
  ['bug', 'On my phone the cart shows the old price until I reload.'],
  ['question', 'Can I send an order to two addresses?'],
  ['improvement', 'Please remember the size that I chose last time.'],
  ['feature_request', 'At night the shop is far too bright. Please let it switch to dark by itself in the evening.'],
] as const;

/** Spreads the sessions over the preceding days: they are recorded when they end, and the pictures show a month. */
export async function spreadSessions(mongodbUrl: string, prefix: string): Promise<void> {
  const client = new MongoClient(mongodbUrl);
  try {
    const sessions = client.db(`${prefix}_workitems`).collection('ai_sessions');
    const all = await sessions.find({}, { projection: { _id: 1 } }).toArray();
    for (const [n, { _id }] of all.entries()) {
      const daysAgo = (n * 11) % DAYS;
      await sessions.updateOne({ _id }, { $set: { createdAt: new Date(Date.now() - daysAgo * DAY_MS) } });
    }
  } finally {
    await client.close();
  }
}
