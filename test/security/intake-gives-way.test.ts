import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSystem } from '../support/system.ts';

let system: Awaited<ReturnType<typeof startSystem>>;
beforeAll(async () => {
  system = await startSystem({ env: { FEEDBACK_CONCURRENCY_BESIDE_CALLS: '1' } });
});
afterAll(() => system?.stop());

const bootstrap = (publicKey: string) => fetch(`${system.baseUrl}/feedback/widget/bootstrap?publicKey=${publicKey}`);
/** Of the right form, so that the feedback service is asked for it. */
const unknownSource = () => `pk_${randomUUID().replaceAll('-', '').slice(0, 24)}`;

async function waited(): Promise<number> {
  const text = await (await fetch(`${system.services.of('gateway')[0]?.opsUrl}/metrics`)).text();
  return Number(/^worktrack_intake_waited_total (\d+)$/m.exec(text)?.[1]);
}

test('public requests wait for calls with a valid key, and because of no other header', async () => {
  const feedback = system.services.of('feedback')[0]?.part;
  feedback?.kill('SIGSTOP');
  const held: Promise<Response>[] = [];
  try {
    for (const authorization of ['Bearer wt_junk', `Bearer wt_${'0'.repeat(36)}`, 'Basic eA==', 'x']) {
      expect((await fetch(`${system.baseUrl}/api/me`, { headers: { authorization } })).status).toBe(401);
    }
    // More than the one that may be in progress alongside calls: the source of the first is being looked up.
    held.push(bootstrap(unknownSource()));
    expect((await bootstrap('none')).status).toBe(404);
    expect(await waited()).toBe(0);

    const { call } = await system.newOrganization();
    expect((await call('GET', '/api/me')).status).toBe(200);
    held.push(bootstrap(unknownSource()), bootstrap(unknownSource()));
    await expect.poll(waited).toBeGreaterThanOrEqual(1);
  } finally {
    feedback?.kill('SIGCONT');
  }
  await Promise.all(held);
});
