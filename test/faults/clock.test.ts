import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caller } from '../support/organization.ts';
import { newLease } from '../support/servers.ts';
import { Clocks, findFaketime } from './clocks.ts';
import type { Fault } from './faults.ts';
import { Trial } from './trial.ts';

const HOUR_S = 3_600;
const WRONG_FOR_MS = 1_500;

const faketime = await findFaketime();
const reason = 'missing' in faketime ? faketime.missing : undefined;

let clocks: Clocks;
let trial: Trial;

/** For one replica of each service behind the gateways, so that right and wrong clocks write to the same items. */
const jump = (offsetS: number): Fault => ({
  name: `clocks of one of two keys, workitems and feedback: ${Math.abs(offsetS) / HOUR_S} h ${offsetS > 0 ? 'ahead' : 'behind'}, and back`,
  async run() {
    const replicas = ['keys', 'workitems', 'feedback'];
    clocks.set(replicas, offsetS);
    await delay(WRONG_FOR_MS);
    clocks.set(replicas, 0);
  },
});

describe.skipIf(reason)(`when a wall clock jumps${reason ? ` (not here: ${reason})` : ''}`, () => {
  beforeAll(async () => {
    clocks = new Clocks('library' in faketime ? faketime.library : '', (await newLease()).folder);
    trial = await Trial.start({
      replicas: { gateway: 2, keys: 2, workitems: 2, feedback: 2 },
      envOf: (id) => clocks.environmentOf(id),
    });
  });
  afterAll(async () => {
    const pids = trial?.system.services.replicas.map(({ part }) => part.pid) ?? [];
    await trial?.system.stop();
    Clocks.forget(pids);
  });

  test('nothing is lost, duplicated, torn or out of order', async () => {
    await trial.endure(jump(HOUR_S));
    await trial.endure(jump(-HOUR_S));
    await trial.end();
  });

  test('a widget token is valid for no longer than 15 minutes by any gateway’s clock, whichever issued it', async () => {
    const source = await trial.organization.call<{ publicKey: string }>('POST', '/api/feedback/sources', {
      name: 'Clocks',
      type: 'server',
      requireCaptcha: false,
    });
    const { publicKey } = source.data;
    const call = (gateway: number) => caller(trial.system.gateways[gateway] as string, '');
    const tokenOf = async (gateway: number) => {
      const path = `/feedback/widget/bootstrap?publicKey=${publicKey}`;
      return (await call(gateway)<{ token: string }>('GET', path)).data.token;
    };
    const submit = async (gateway: number, token: string) => {
      const message = `Clocks ${randomUUID()}`;
      const { status, error } = await call(gateway)('POST', '/feedback/ingest', { publicKey, token, message });
      return error ? `${status} ${error.code}` : `${status}`;
    };

    const token = await tokenOf(0);
    expect([await submit(0, token), await submit(1, token)]).toEqual(['201', '201']);
    clocks.set(['gateway-2'], HOUR_S / 3);
    expect([await submit(0, token), await submit(1, token)]).toEqual(['201', '401 WIDGET_TOKEN_EXPIRED']);
    const early = await tokenOf(1);
    expect([await submit(0, early), await submit(1, early)]).toEqual(['401 WIDGET_TOKEN_EXPIRED', '201']);
    clocks.set(['gateway-2'], 0);
    expect([await submit(1, token), await submit(1, early)]).toEqual(['201', '401 WIDGET_TOKEN_EXPIRED']);
  });

  test('a lease may end early, and then only the work of its new holder is accepted', async () => {
    const { call, boardId, columns } = trial.organization;
    const { data: item } = await call<{ id: string }>('POST', '/api/work-items', {
      title: 'Held',
      type: 'task',
      boardId,
      boardColumnId: columns['To Do'],
    });
    const claim = async (agent: string) =>
      (
        await call<{ claimed: boolean; lease: { token: string } | null }>('POST', '/api/work-items/claim', {
          ids: [item.id],
          agent,
        })
      ).data;
    const complete = async (leaseToken: string | undefined) => {
      const { status, error } = await call('POST', `/api/work-items/${item.id}/ai-completion`, {
        reviewColumnId: columns.Review,
        model: 'gpt-4o',
        totalTokens: 1_000,
        leaseToken,
      });
      return error ? `${status} ${error.code}` : `${status}`;
    };

    const first = await claim('first');
    clocks.set(['workitems', 'workitems-2'], -HOUR_S);
    expect((await claim('behind')).claimed).toBe(false);
    clocks.set(['workitems', 'workitems-2'], HOUR_S);
    const second = await claim('ahead');
    clocks.set(['workitems', 'workitems-2'], 0);
    expect([first.claimed, second.claimed]).toEqual([true, true]);
    expect((await claim('late')).claimed).toBe(false);
    expect(await complete(first.lease?.token)).toBe('409 CONFLICT');
    expect(await complete(second.lease?.token)).toBe('200');
    const { data } = await call<{ totals: { sessions: number } }>('GET', `/api/ai-usage?workItemId=${item.id}`);
    expect(data.totals.sessions).toBe(1);
  });

  test('an API key ends by the gateway’s clock, and is valid again when that is right', async () => {
    const { call } = trial.organization;
    const made = await call<{ key: string }>('POST', '/api/api-keys', { name: 'Ends', expiresInDays: 1 });
    const statuses = async () =>
      Promise.all(
        trial.system.gateways.map(async (url) => (await caller(url, made.data.key)('GET', '/api/me')).status),
      );
    expect(await statuses()).toEqual([200, 200]);
    clocks.set(['gateway-2'], 48 * HOUR_S);
    expect(await statuses()).toEqual([200, 401]);
    clocks.set(['gateway-2'], 0);
    expect(await statuses()).toEqual([200, 200]);
  });
});
