import { keysContract } from '@worktrack/contracts/keys/contract';
import { connectBackend } from '@worktrack/runtime/backend';
import { migrate } from '@worktrack/runtime/database/migrations/migrate';
import { Destinations } from '@worktrack/runtime/outbound/destination';
import { AllowedNetworks } from '@worktrack/runtime/outbound/networks';
import { runService } from '@worktrack/runtime/process/service';
import { connectRedis } from '@worktrack/runtime/redis/connection';
import { identityInvalidation } from '@worktrack/runtime/redis/identity-cache';
import { redisState } from '@worktrack/runtime/redis/state';
import { Clients } from './clients/clients.ts';
import { config } from './config.ts';
import { handlers } from './handlers.ts';
import { IssuerKeys } from './issuers/issuer-keys.ts';
import { KeyMint } from './keys/mint.ts';
import { handlesMigration } from './migrations/handles.repository.ts';
import { roleLimitMigration } from './migrations/role-limit.repository.ts';
import { Refusals } from './trust/refusals.ts';

/** Calls that wait for an issuer to tell its keys (trustTokens.exchangeWaiting), or for the document of an app (connections.start). */
const CALLS_WAITING = 200;

const settings = config();

await runService('keys', settings, async (service) => {
  const { log, check, onStop } = service;
  const backend = await connectBackend('keys', settings, service);
  const migrations = await migrate([roleLimitMigration, handlesMigration], log);
  onStop(() => migrations.stop());

  const redis = connectRedis(settings.REDIS_URL, log);
  onStop(async () => redis.disconnect());
  check('redis', () => redisState(redis, 'revocations and changes to users wait for it'));

  backend.publish();
  const networks = new AllowedNetworks(settings.OIDC_ALLOWED_NETWORKS);
  const destinations = new Destinations(networks, 'OIDC_ALLOWED_NETWORKS');
  const clients = new Clients({
    destinations: new Destinations(
      new AllowedNetworks(settings.OAUTH_CLIENT_ALLOWED_NETWORKS),
      'OAUTH_CLIENT_ALLOWED_NETWORKS',
    ),
    log,
  });
  const table = handlers({
    mint: new KeyMint(settings.KEY_PEPPER),
    invalidate: identityInvalidation(redis),
    trust: { publicUrl: settings.PUBLIC_URL, destinations },
    issuers: new IssuerKeys({ destinations, log }),
    refusals: new Refusals(log),
    clients,
  });
  const server = await backend.serve(keysContract, table, settings.RPC_SECRETS_KEYS, CALLS_WAITING);
  onStop(() => server.stop());
});
