import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caller, type TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';
import { changingMember, HeldKey, questionsAt } from './access-states.ts';

const REQUESTS = 10_000;
const CLIENTS_PER_GATEWAY = 32;
const KEYS = 24;
/** Of calls whose rights change under them, and the users that they are made for. */
const LOOPS = 20;
const MEMBERS = 4;
const ROUNDS = 3;
/** How many calls at least begin after a change was answered and end before the next one. */
const CALLS_PER_STATE = 8;
/** One in so many calls is made with the key that was replaced last. */
const CALLS_PER_REPLACED = 7;

let system: Awaited<ReturnType<typeof startSystem>>;
const issued: string[] = [];
beforeAll(async () => {
  system = await startSystem({
    replicas: { gateway: 2, keys: 2 },
    // Keys that are revoked are unknown, and here all of them come from one address.
    env: { LOG_LEVEL: 'trace', UNKNOWN_KEYS_PER_IP: String(REQUESTS) },
  });
});
afterAll(() => system?.stop());

interface Me {
  readonly user: { readonly role: string };
}

interface Member {
  readonly userId: string;
  readonly keyId: string;
  readonly key: string;
}

/** A user of the organization, with a key. */
async function member(org: TestOrganization, name: string): Promise<Member> {
  const { id: userId, keyId, key } = await org.newUser({ name }, { rateLimit: { requests: 0 } });
  issued.push(key);
  return { userId, keyId, key };
}

async function me(gateway: string, key: string): Promise<{ status: number; role: string | undefined }> {
  const response = await fetch(`${gateway}/api/me`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await response.json()) as { data?: Me };
  return { status: response.status, role: data?.user.role };
}

describe('with two gateways and two keys services', () => {
  test(`of ${REQUESTS} requests over both, none that begins after a revocation, a disabling or a demotion was answered finds the key as before`, async () => {
    const org = await system.newOrganization();
    const members: Member[] = [];
    for (let i = 0; i < KEYS; i++) members.push(await member(org, `m${i}`));
    /** How a request may be answered once the change is made: its status and the user's role. */
    const changed = new Map<string, string>();
    const wrong: string[] = [];
    const seen = { before: 0, after: 0 };
    let sent = 0;
    let due = { at: 0, reached: Promise.withResolvers<void>() };

    async function client(gateway: string): Promise<void> {
      while (sent < REQUESTS) {
        const { key } = members[sent++ % KEYS] as Member;
        if (sent >= due.at) due.reached.resolve();
        const expected = changed.get(key);
        const { status, role } = await me(gateway, key);
        const got = `${status} ${role ?? ''}`.trim();
        if (expected === undefined) seen.before++;
        else seen.after++;
        if (expected !== undefined && got !== expected) wrong.push(`${expected}, but was ${got}`);
      }
    }
    const change = [
      (call: TestOrganization['call'], { keyId }: Member) => call('DELETE', `/api/api-keys/${keyId}`),
      (call: TestOrganization['call'], { userId }: Member) => call('PATCH', `/api/users/${userId}`, { disabled: true }),
      (call: TestOrganization['call'], { userId }: Member) => call('PATCH', `/api/users/${userId}`, { role: 'viewer' }),
    ];
    async function administrator(): Promise<void> {
      for (const [i, each] of members.entries()) {
        due = { at: ((i + 1) * REQUESTS) / (KEYS + 2), reached: Promise.withResolvers() };
        await due.reached.promise;
        const gateway = system.gateways[i % 2] as string;
        const kind = i % change.length;
        const { status } = await (change[kind] as (typeof change)[number])(caller(gateway, org.apiKey), each);
        expect(status).toBe(200);
        changed.set(each.key, kind === 2 ? '200 viewer' : '401');
      }
    }
    const clients = system.gateways.flatMap((gateway) =>
      Array.from({ length: CLIENTS_PER_GATEWAY }, () => client(gateway)),
    );
    await Promise.all([administrator(), ...clients]);
    expect(wrong).toEqual([]);
    expect(changed.size).toBe(KEYS);
    expect(Math.min(seen.before, seen.after)).toBeGreaterThan(REQUESTS / 10);
  }, 240_000);

  test('while limits, roles and keys are changed again and again under 20 loops of calls, each call gets what holds between its beginning and its end', async () => {
    const org = await system.newOrganization();
    const { data: second } = await org.call<{ id: string }>('POST', '/api/projects', { name: 'Second' });
    const members = await Promise.all(
      Array.from({ length: MEMBERS }, async (_, i) => {
        const member = await changingMember(org, `changing${i}`, [org.projectId, second.id]);
        issued.push(member.key.value);
        const more = { replaced: undefined as HeldKey | undefined, isDone: false, calls: 0 };
        return { ...member, ...more, answered: Promise.withResolvers<void>() };
      }),
    );
    const wrong: string[] = [];

    async function loop(index: number): Promise<void> {
      const member = members[index % MEMBERS] as (typeof members)[number];
      const questions = system.gateways.flatMap((gateway) => questionsAt(gateway, second.id));
      for (let i = index; !member.isDone; i++) {
        const { ask, expected } = questions[i % questions.length] as (typeof questions)[number];
        const held = i % CALLS_PER_REPLACED === 0 && member.replaced ? member.replaced : member.key;
        const fault = await held.judge(ask, expected);
        if (fault) wrong.push(fault);
        member.calls++;
        member.answered.resolve();
      }
    }
    async function administrator(member: (typeof members)[number]): Promise<void> {
      const enough = async () => {
        while (member.key.answeredSince < CALLS_PER_STATE) {
          member.answered = Promise.withResolvers();
          await member.answered.promise;
        }
      };
      for (let i = 0; i < ROUNDS * member.changes.length; i++) {
        await enough();
        const call = caller(system.gateways[i % 2] as string, org.apiKey);
        const change = member.changes[i % member.changes.length] as (typeof member.changes)[number];
        const old = member.key;
        const held = old.state;
        if (change === 'rotate') {
          await old.change({}, async () => {
            const rotated = await call<{ id: string; key: string }>('POST', `/api/api-keys/${member.id}/rotate`, {
              overlapSeconds: 0,
            });
            expect(rotated.status).toBe(201);
            member.id = rotated.data.id;
            issued.push(rotated.data.key);
            member.key = new HeldKey(rotated.data.key, held);
          });
          member.replaced = old;
        } else {
          await old.change({ ...old.state, ...change.gives }, async () => {
            const { status } = await call(change.method, change.path, change.body);
            expect(status).toBe(200);
          });
        }
      }
      await enough();
      member.isDone = true;
    }
    await Promise.all([...members.map(administrator), ...Array.from({ length: LOOPS }, (_, index) => loop(index))]);
    expect(wrong).toEqual([]);
    console.log(`${members.reduce((sum, { calls }) => sum + calls, 0)} calls`);
  }, 240_000);

  test('of two owners whom 50 requests demote and disable at once, one stays', async () => {
    const org = await system.newOrganization();
    const body = { email: 'bob@example.com', name: 'Bob', role: 'owner' };
    const { data: bob } = await org.call<{ id: string }>('POST', '/api/users', body);
    // An admin, whose own rights the demotions do not affect.
    const admin = await org.newUser({ role: 'admin' }, { rateLimit: { requests: 0 } });
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const call = caller(system.gateways[i % 2] as string, admin.key);
        const change = i % 3 ? { role: 'member' } : { disabled: true };
        return (await call('PATCH', `/api/users/${[org.userId, bob.id][(i >> 1) % 2]}`, change)).status;
      }),
    );
    expect(new Set(answers)).toEqual(new Set([200, 409]));
    const { data } = await admin.call<{ users: { role: string; disabled: boolean }[] }>('GET', '/api/users');
    expect(data.users.filter((user) => user.role === 'owner' && !user.disabled)).toHaveLength(1);
  });

  test('the last use of a key is recorded within seconds, with a few reports for hundreds of requests', async () => {
    const org = await system.newOrganization();
    const { key, keyId } = await member(org, 'ada');
    const lastUsedAt = async () => {
      const { data } = await org.call<{ id: string; lastUsedAt: string | null }[]>('GET', '/api/api-keys');
      return Date.parse(data.find(({ id }) => id === keyId)?.lastUsedAt ?? '');
    };
    expect(await lastUsedAt()).toBeNaN();
    const reportsBefore = await reports();
    const beganAtMs = Date.now();
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 20 }, (_, i) => me(system.gateways[i % 2] as string, key)));
    }
    const endedAtMs = Date.now();
    await expect.poll(lastUsedAt, { timeout: 30_000, interval: 200 }).toBeGreaterThan(endedAtMs - 1_000);
    expect(await lastUsedAt()).toBeGreaterThanOrEqual(beganAtMs);
    expect(await lastUsedAt()).toBeLessThanOrEqual(endedAtMs);
    expect((await reports()) - reportsBefore).toBeLessThan(400 / 10);
  });

  test('a gateway that is stopped reports the last uses first', async () => {
    const org = await system.newOrganization();
    const { key, keyId } = await member(org, 'ada');
    const [, second] = system.services.of('gateway');
    await me(second?.publicUrl as string, key);
    await second?.part.stop();
    const { data } = await org.call<{ id: string; lastUsedAt: string | null }[]>('GET', '/api/api-keys');
    expect(data.find(({ id }) => id === keyId)?.lastUsedAt).not.toBeNull();
    await second?.part.restart();
  });

  test('no key is in any log, though everything is logged', () => {
    const logs = join(system.folder, 'logs');
    const text = readdirSync(logs)
      .map((name) => readFileSync(join(logs, name), 'utf8'))
      .join('\n');
    expect(text).toContain('"level":"info"');
    expect(issued.length).toBeGreaterThan(KEYS);
    for (const key of issued) expect(text.includes(key.slice(11))).toBe(false);
  });
});

/** How many messages about last uses both gateways have sent. */
async function reports(): Promise<number> {
  let sum = 0;
  for (const { opsUrl } of system.services.of('gateway')) {
    const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
    for (const [, count] of metrics.matchAll(
      /^worktrack_rpc_client_seconds_count\{operation="keys.recordUse".*\} (\d+)$/gm,
    )) {
      sum += Number(count);
    }
  }
  return sum;
}
