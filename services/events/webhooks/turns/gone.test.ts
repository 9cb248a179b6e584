import { once } from 'node:events';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Endpoint } from '../../../../test/support/webhook-endpoint.ts';
import { newCaller, startWebhooks, until, type Webhooks } from '../testing.ts';

const TIMEOUT_MS = 180_000;

let webhooks: Webhooks;
beforeAll(async () => {
  webhooks = await startWebhooks();
  // Another process is to do the sending.
  await webhooks.service.stop();
});
afterAll(() => webhooks.stop());

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'what a process was sending when it got %s is sent by another, in the order of its subject, and nothing is lost',
  { timeout: TIMEOUT_MS },
  async (signal) => {
    const caller = newCaller();
    let isSilent = true;
    const at = await Endpoint.start(() => (isSilent ? () => {} : 200));
    await webhooks.call('webhooks.create', { url: at.url }, caller);
    const subject = { kind: 'work_item' as const, id: uuidv7() };
    await webhooks.append(
      caller,
      Array.from({ length: 10 }, () => ({ subject })),
    );
    const first = webhooks.spawn();
    await until(() => expect(at.underWay).toBe(1), 90_000);
    first.kill(signal);
    isSilent = false;
    const next = webhooks.replica();
    await until(() => expect(new Set(at.seqs).size).toBe(10), 90_000);
    // The first was on its way when its sender died: it is the one that arrives twice, with its id.
    expect(at.seqs).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(at.received[0]?.headers['webhook-id']).toBe(at.received[1]?.headers['webhook-id']);
    await next.stop();
    if (signal === 'SIGSTOP') {
      // It resumes after all, and finds that what it held is another's.
      const ended = once(first, 'exit');
      first.kill('SIGCONT');
      first.disconnect();
      await ended;
      expect(at.seqs).toHaveLength(11);
    }
    await at.stop();
  },
);
