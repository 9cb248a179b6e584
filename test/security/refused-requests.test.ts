import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startGateways } from '../support/system.ts';

const ALLOWED = 10;

let system: Awaited<ReturnType<typeof startGateways>>;
beforeAll(async () => {
  system = await startGateways(2, {
    hasOwnRedis: true,
    env: { FEEDBACK_REFUSALS_PER_IP: String(ALLOWED), TRUST_PROXY: 'loopback' },
  });
});
afterAll(() => system?.stop());

async function ingest(gateway: number, address: string, body: string, path = '/feedback/ingest') {
  const response = await fetch(`${(system as System & { gateways: readonly string[] }).gateways[gateway]}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body,
  });
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, retryAfter: response.headers.get('retry-after'), ...error };
}

const NO_JSON = '{';
const NO_SOURCE = JSON.stringify({ publicKey: 'pk_none', token: 'x', message: 'x' });

test('malformed requests are counted per address over all gateways; past the limit nothing is parsed any more', async () => {
  const address = '192.0.2.1';
  const bodies = ['{', '[]', JSON.stringify({ publicKey: 'x'.repeat(70_000) })];
  for (let number = 0; number < ALLOWED; number++) {
    const { status } = await ingest(number % 2, address, bodies[number % bodies.length] as string);
    expect([400, 413]).toContain(status);
  }
  // The gateway that counted the last one knows; the other learns it from one more of its own.
  const last = (ALLOWED - 1) % 2;
  for (const body of [NO_JSON, NO_SOURCE]) {
    const { status, code, retryAfter } = await ingest(last, address, body);
    expect({ status, code }).toEqual({ status: 429, code: 'RATE_LIMITED' });
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
    expect(Number(retryAfter)).toBeLessThanOrEqual(60);
  }
  await ingest(1 - last, address, NO_JSON);
  expect((await ingest(1 - last, address, NO_SOURCE)).status).toBe(429);
  // For nobody else.
  expect((await ingest(last, '192.0.2.2', NO_JSON)).status).toBe(400);
});

test('what is refused for a different reason does not count', async () => {
  const address = '192.0.2.3';
  for (let number = 0; number < 2 * ALLOWED; number++) {
    // Beyond the source's rate, which is a separate limit, it is 429 with a code of the same name.
    expect([404, 429]).toContain((await ingest(0, address, NO_SOURCE)).status);
  }
  expect((await ingest(0, address, NO_JSON)).status).toBe(400);
});

test('they count however the path is spelled', async () => {
  const address = '192.0.2.4';
  const spelled = '/%66eedback/%69ngest';
  for (let number = 0; number < ALLOWED; number++) {
    expect((await ingest(0, address, NO_JSON, spelled)).status).toBe(400);
  }
  for (const path of [spelled, '/feedback/ingest']) expect((await ingest(0, address, NO_JSON, path)).status).toBe(429);
});
