import { setTimeout as delay } from 'node:timers/promises';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Endpoint } from '../../../../test/support/webhook-endpoint.ts';
import { newCaller, startWebhooks, until, type Webhooks } from '../testing.ts';

const SUBJECTS = Array.from({ length: 24 }, () => uuidv7());
/** Their first events fail together, so that their retries come at different moments of rounds that have begun without them. */
const FAILING = new Set(SUBJECTS.slice(0, 8));
/** Past the first retries, which come 5 to 5.5 s after the failures. */
const QUEUED_FOR_MS = 8_000;

let webhooks: Webhooks;
let at: Endpoint | undefined;
beforeAll(async () => {
  webhooks = await startWebhooks();
});
afterEach(() => at?.stop());
afterAll(() => webhooks.stop());

test('whatever is queued, held and recorded while others are sent, no event overtakes an earlier one of its subject, and none is accepted twice', {
  timeout: 120_000,
}, async () => {
  const caller = newCaller();
  const refused = new Set<string>();
  const accepted: { readonly subject: string; readonly seq: number }[] = [];
  const endpoint = await Endpoint.start(({ event }) => {
    const { id: subject } = event.subject;
    if (FAILING.has(subject) && !refused.has(subject)) {
      refused.add(subject);
      return 503;
    }
    accepted.push({ subject, seq: event.seq });
    return (response) => setTimeout(() => response.end(), Math.random() * 4);
  });
  at = endpoint;
  await webhooks.call('webhooks.create', { url: endpoint.url }, caller);
  const about = (id: string) => ({ subject: { kind: 'work_item' as const, id } });
  await webhooks.append(caller, [...FAILING].map(about));
  let appended = FAILING.size;
  const untilMs = Date.now() + QUEUED_FOR_MS;
  while (Date.now() < untilMs) {
    await webhooks.append(caller, SUBJECTS.map(about));
    appended += SUBJECTS.length;
    // No faster than they are sent, so that again and again some rounds find some of them, and others find none left.
    while (accepted.length < appended - 12 * SUBJECTS.length && Date.now() < untilMs) await delay(5);
  }
  await until(() => expect(accepted.length).toBeGreaterThanOrEqual(appended), 60_000);
  for (const subject of SUBJECTS) {
    const seqs = accepted.filter((each) => each.subject === subject).map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  }
  expect(accepted).toHaveLength(appended);
  expect(refused).toEqual(FAILING);
});
