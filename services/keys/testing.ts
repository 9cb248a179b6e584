import { hash } from 'node:crypto';
import type { Sender } from '@worktrack/contracts/caller';
import { keysContract } from '@worktrack/contracts/keys/contract';
import { callerOf, type Identity } from '@worktrack/contracts/keys/identity';
import { prefixOf } from '@worktrack/contracts/keys/key-format';
import type { Operation, Output, RawInput } from '@worktrack/contracts/operation';
import { connectDatabase, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { Destinations } from '@worktrack/runtime/outbound/destination';
import { AllowedNetworks } from '@worktrack/runtime/outbound/networks';
import { createLog } from '@worktrack/runtime/process/logging';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { connectRedis } from '@worktrack/runtime/redis/connection';
import { identityInvalidation } from '@worktrack/runtime/redis/identity-cache';
import { contextOf } from '../../test/support/handled-call.ts';
import { servers } from '../../test/support/servers.ts';
import { Clients } from './clients/clients.ts';
import { handlers } from './handlers.ts';
import { IssuerKeys } from './issuers/issuer-keys.ts';
import { KeyMint } from './keys/mint.ts';
import { Refusals } from './trust/refusals.ts';

export { codeOf } from '../../test/support/handled-call.ts';

type Operations = (typeof keysContract)['operations'];
type Name = keyof Operations;

const TEST_PUBLIC_URL = 'https://worktrack.example';

/** The keys service without its queue: its handlers, called as libs/rpc calls them, on a real database and a real Redis. */
export async function startKeys() {
  const { mongodbUrl, redisUrl, databasePrefix } = await servers();
  const log = createLog('test', 'silent');
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_keys`, log });
  const redis = connectRedis(redisUrl, log);
  await new Promise((resolve) => redis.once('ready', resolve));
  const destinations = new Destinations(new AllowedNetworks(['127.0.0.1']), 'OIDC_ALLOWED_NETWORKS');
  let aheadMs = 0;
  const table = handlers({
    mint: new KeyMint('a pepper of the tests, which is long enough'),
    invalidate: identityInvalidation(redis),
    trust: { publicUrl: TEST_PUBLIC_URL, destinations },
    issuers: new IssuerKeys({ destinations, log, now: () => Date.now() + aheadMs }),
    refusals: new Refusals(log),
    clients: new Clients({ destinations, log }),
  });

  async function call<N extends Name>(
    name: N,
    input: RawInput<Operations[N]>,
    caller?: Identity,
    idempotencyKey: string = uuidv7(),
  ): Promise<Output<Operations[N]>> {
    const operation: Operation = keysContract.operations[name];
    const parsed = operation.input.parse(input) as never;
    const sent = caller && { ...callerOf(caller), sender: senderOf(caller) };
    const context = contextOf(sent, { idempotencyKey });
    const handler = table[name];
    if ('one' in handler) return (await handler.one(parsed, context)).output as Output<Operations[N]>;
    if (!('many' in handler)) throw new Error(`${name} moves bytes.`);
    const [settled] = await handler.many([{ input: parsed, context }] as never);
    if (!settled || 'error' in settled) throw new Error(`${name} gave no answer.`);
    return settled.output as Output<Operations[N]>;
  }

  async function verify(key: string): Promise<Identity | undefined> {
    const { verified } = await call('identity.verify', { prefix: prefixOf(key), digest: hash('sha256', key) });
    return verified?.identity;
  }

  /** For a key that must be valid. */
  async function identityOf(key: string | null): Promise<Identity> {
    const identity = key === null ? undefined : await verify(key);
    if (!identity) throw new Error('The key is not valid.');
    return identity;
  }

  return {
    redis,
    /** Sets the clock of the store of issuers' keys. */
    moveClock(ms: number) {
      aheadMs += ms;
    },
    call,
    verify,
    identityOf,
    /** A new organization. @returns its owner, using the first key */
    async organization() {
      const made = await call('organizations.create', { name: 'Example', ownerEmail: 'ada@example.com' });
      return { ...made, owner: await identityOf(made.apiKey.key) };
    },
    async stop() {
      redis.disconnect();
      await disconnectDatabase();
    },
  };
}

/** What else an organization has, to reach a limit: a stored document with other ids, this many times. */
export function copiesOf<D extends object>(document: D | null, count: number): D[] {
  if (!document) throw new Error('There is nothing to copy.');
  const ids = () => ({ _id: uuidv7(), ...('prefix' in document && { prefix: uuidv7() }) });
  return Array.from({ length: count }, () => ({ ...document, ...ids() }));
}

/** As the gateway tells who is calling. */
function senderOf({ key, session, grant, rule }: Identity): Sender {
  const type = session ? 'session' : grant ? 'grant' : rule ? 'rule' : 'key';
  return { type, id: key.id, name: key.name, address: '127.0.0.1', userAgent: null, network: 'a network' };
}
