import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Health } from '@worktrack/contracts/gateway/health';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMAND, COMPILED_ONCE } from '../support/command.ts';
import type { TestOrganization } from '../support/organization.ts';
import type { RunningSystem } from '../support/run-system.ts';
import { type System, startSystem } from '../support/system.ts';

let system: System & RunningSystem;
let organization: TestOrganization;
beforeAll(async () => {
  system = await startSystem({ ownServers: ['rabbitmq', 'redis'] });
  organization = await system.newOrganization();
});
afterAll(() => system?.stop());

const only = (service: 'gateway' | 'workitems' | 'feedback' | 'keys') => {
  const [replica] = system.services.of(service);
  if (!replica) throw new Error(`There is no ${service}.`);
  return replica;
};
const readiness = async (url: string) => {
  const response = await fetch(`${url}/health/ready`);
  return { status: response.status, ...((await response.json()) as { needs: Record<string, string> }) };
};
/** Polls until the answer is the wanted one; the test's own timeout ends it. */
async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a part that is unavailable', () => {
  test('a service: 503 with Retry-After and no internals; the others keep working; readiness names it', async () => {
    const { part } = only('workitems');
    await part.kill();
    try {
      const refused = await until(
        () => organization.call('GET', '/api/work-items'),
        ({ status }) => status === 503,
      );
      expect(refused.error.code).toBe('UNAVAILABLE');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(JSON.stringify(refused.error)).not.toMatch(/amqp|rabbit|mongo|redis|127\.0\.0\.1|\.ts|at /i);
      expect((await organization.call('GET', '/api/me')).status).toBe(200);
      const { status, needs } = await until(
        () => readiness(only('gateway').opsUrl),
        // On a busy machine one of the others may occasionally answer too late.
        (answer) => answer.status === 503 && answer.needs.feedback === 'ok' && answer.needs.keys === 'ok',
      );
      expect(status).toBe(503);
      expect(needs).toMatchObject({ keys: 'ok', feedback: 'ok', rabbitmq: 'ok', redis: 'ok' });
      expect(needs.workitems).not.toBe('ok');
    } finally {
      await part.restart();
    }
    expect((await organization.call('GET', '/api/work-items')).status).toBe(200);
    await until(
      () => readiness(system.baseUrl),
      ({ status }) => status === 200,
    );
  });

  test('Redis: the gateway keeps working, degraded and ready; a repeated write takes effect once', async () => {
    const redis = system.servers?.redis.part;
    if (!redis) throw new Error('The test needs servers of its own.');
    await redis.kill();
    try {
      const { status, needs } = await until(
        () => readiness(only('gateway').opsUrl),
        (answer) => answer.needs.redis !== 'ok',
      );
      expect([status, needs.redis]).toEqual([200, expect.stringMatching(/^degraded: /)]);
      const key = { 'idempotency-key': randomUUID() };
      const first = await organization.call('POST', '/api/projects', { name: 'Without Redis' }, key);
      const second = await organization.call('POST', '/api/projects', { name: 'Without Redis' }, key);
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.data).toEqual(first.data);
    } finally {
      await redis.restart();
    }
  });

  test.each([
    ['redis', 'degraded', 'Redis does not answer; caches and rate windows are not shared.'],
    ['rabbitmq', 'missing', 'No answer within 1000 ms.'],
  ] as const)(
    '%s that is frozen is %s in the health of the system, though its connections stand',
    async (name, state, detail) => {
      const part = system.servers?.[name].part;
      const found = async () => {
        const { components } = (await organization.call<Health>('GET', '/api/health')).data;
        return components.find((component) => component.name === name);
      };
      await until(found, (answer) => answer?.state === 'ok');
      await part?.kill('SIGSTOP');
      try {
        expect(await found()).toEqual({ name, state, detail });
        // And in readiness, which takes no key.
        const { status, needs } = await readiness(only('gateway').opsUrl);
        if (state === 'degraded') {
          expect([status, needs[name]]).toEqual([200, `degraded: ${detail}`]);
          const ofKeys = await readiness(only('keys').opsUrl);
          expect(ofKeys).toMatchObject({ status: 200, needs: { [name]: expect.stringContaining('does not answer') } });
        }
      } finally {
        await part?.kill('SIGCONT');
      }
      await until(found, (answer) => answer?.state === 'ok');
    },
  );
});

test('`worktrack org create` says of a broker under alarm what is wrong, and what to do', async () => {
  const { servers } = system;
  const args = [COMMAND, 'org', 'create', '--name', 'Example', '--owner-email', 'ada@example.com'];
  const env = {
    ...{ PATH: process.env.PATH, ...COMPILED_ONCE },
    ...{ RABBITMQ_URL: system.rabbitmqUrl, RPC_SECRETS_KEYS: system.secrets.RPC_SECRETS_KEYS },
  };
  await servers?.rabbitmqctl(['set_vm_memory_high_watermark', '0.00001']);
  try {
    await expect(promisify(execFile)(process.execPath, args, { env })).rejects.toMatchObject({
      ...{ code: 3, stdout: '' },
      stderr: expect.stringMatching(
        /^.*takes no messages: it is short of memory or disk\. `rabbitmqctl status` says more; repeat /,
      ),
    });
  } finally {
    await servers?.rabbitmqctl(['set_vm_memory_high_watermark', '0.8']);
  }
  await promisify(execFile)(process.execPath, args, { env });
});

const LOOKS = 10;

test('SIGTERM: what is in progress is finished, and nothing new is accepted', async () => {
  const workitems = only('workitems');
  const gateway = only('gateway');
  // While frozen, the service leaves the request in progress for as long as the test wants.
  await workitems.part.kill('SIGSTOP');
  const title = `Under way ${randomUUID()}`;
  const underWay = organization.call('POST', '/api/work-items', {
    title,
    type: 'task',
    boardId: organization.boardId,
    boardColumnId: organization.columns.Backlog,
    projectId: organization.projectId,
  });
  let looks = 0;
  await until(
    async () => (await fetch(`${gateway.opsUrl}/metrics`)).text(),
    // Several times in a row: a call to another service, such as the report of the last use of keys, is pending only for a moment.
    (metrics) => {
      looks = /^worktrack_rpc_pending_calls [1-9]/m.test(metrics) ? looks + 1 : 0;
      return looks >= LOOKS;
    },
  );
  const stopped = gateway.part.stop();
  const { needs } = await until(
    () => readiness(gateway.opsUrl),
    // It may also be unready because of the frozen service.
    ({ status, needs: found }) => status === 503 && found.process !== undefined,
  );
  expect(needs.process).toBe('stopping');
  await expect(fetch(`${system.baseUrl}/health/live`)).rejects.toThrow();
  await workitems.part.kill('SIGCONT');
  expect(await underWay).toMatchObject({ status: 201, data: { title } });
  await stopped;
  const log = readFileSync(join(system.folder, 'logs', 'gateway.log'), 'utf8');
  expect(log).toContain('"msg":"Stopped"');
  expect(log).not.toContain('took too long');
  await gateway.part.restart();
  expect((await organization.call('GET', `/api/work-items?search=${encodeURIComponent(title)}`)).data).toMatchObject({
    workItems: [{ title }],
  });
});
