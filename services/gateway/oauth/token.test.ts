import { generateKeySync } from 'node:crypto';
import { exchangeToken, keyMarkOf } from '@worktrack/contracts/keys/trust-tokens';
import { serviceContract } from '@worktrack/contracts/operation';
import { Recorder, RpcRig } from '@worktrack/rpc/testing/rig';
import { connectRedis } from '@worktrack/runtime/redis/connection';
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newIssuerKey, signJwt } from '../../../test/support/issuer.ts';
import { servers, virtualHost } from '../../../test/support/servers.ts';
import { registerTokenEndpoint, TOKEN_PATH } from './token.ts';

const PER_ADDRESS = 3;

const contract = serviceContract('keys', [exchangeToken]);
let rig: RpcRig<typeof contract>;
let redis: ReturnType<typeof connectRedis>;
let app: FastifyInstance;
let asked = 0;

beforeAll(async () => {
  const { log } = new Recorder();
  redis = connectRedis((await servers()).redisUrl, log);
  rig = new RpcRig(await virtualHost(), contract);
  // A keys service in the middle of a flood.
  const flood = { keyMarks: [keyMarkOf('known')], forMs: 60_000 };
  const granted = { outcome: 'granted', expiresAt: new Date(Date.now() + 60_000).toISOString(), permissions: [] };
  await rig.serve({
    'trustTokens.exchange': {
      one: async ({ jwt }: { readonly jwt: string }) => {
        asked++;
        const { kid } = JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());
        return { output: kid === 'known' ? granted : { outcome: 'refused', flood }, replayed: false };
      },
    },
  } as never);
  app = fastify();
  registerTokenEndpoint(app, {
    clients: { keys: (await rig.client()).service as never },
    ...{ redis, log, tokenRequestsPerAddress: PER_ADDRESS, baseUrl: () => 'http://localhost' },
    addressSecret: generateKeySync('hmac', { length: 256 }),
  });
});
afterAll(async () => {
  await app?.close();
  await rig?.stop();
  redis?.disconnect();
});

const key = newIssuerKey('ES256');
async function exchange(kid: string): Promise<number> {
  const assertion = signJwt({ alg: 'ES256', kid }, { aud: 'https://worktrack.example/trust/1' }, key);
  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const payload = new URLSearchParams(form).toString();
  return (await app.inject({ method: 'POST', url: TOKEN_PATH, headers, payload })).statusCode;
}

test('in a flood, what is made up is asked about once and not counted: jobs with the same address get their tokens, up to its limit', async () => {
  for (let number = 0; number < 10; number++) expect(await exchange(`made up ${number}`)).toBe(400);
  expect(asked).toBe(1);
  expect([await exchange('known'), await exchange('known')]).toEqual([200, 200]);
  expect(await exchange('known')).not.toBe(200);
  expect(asked).toBe(3);
});
