import type { AddressInfo } from 'node:net';
import { eventsContract } from '@worktrack/contracts/events/contract';
import { feedbackContract } from '@worktrack/contracts/feedback/contract';
import { keysContract } from '@worktrack/contracts/keys/contract';
import { workItemsContract } from '@worktrack/contracts/work-items/contract';
import { createRpcClient } from '@worktrack/rpc/client';
import { connectBroker } from '@worktrack/rpc/connection';
import { secretKey, signingKey, subkeys } from '@worktrack/runtime/process/key-ring';
import { withoutRedaction } from '@worktrack/runtime/process/logging';
import { rpcObserver } from '@worktrack/runtime/process/metrics';
import { eventSigner, requestSigner } from '@worktrack/runtime/process/request-signers';
import { runService } from '@worktrack/runtime/process/service';
import { connectRedis } from '@worktrack/runtime/redis/connection';
import { redisState } from '@worktrack/runtime/redis/state';
import { createApp } from './app.ts';
import { Refusals } from './audit/refusals.ts';
import { serviceChecks } from './checks.ts';
import { loadCommandFile } from './cli/routes.ts';
import type { Clients } from './clients.ts';
import { config } from './config.ts';
import { ConnectionSteps } from './connect/steps.ts';
import { loadConsoleFiles } from './console/files.ts';
import { LiveLog } from './events/live-log.ts';
import { logReader } from './events/log-reader.ts';
import { Spool } from './feedback/spool/spool.ts';
import { lookAtHealth } from './health.ts';
import { urlOfListener } from './http/loopback.ts';
import { createAuthenticator } from './identity/authenticate.ts';
import { TICKET_PURPOSE } from './identity/upload-ticket.ts';
import { Cancellations } from './mcp/cancellations.ts';
import { loadWidgetFiles } from './widget/files.ts';

const settings = config();

/** Separates the derivation of refresh tokens from other uses of the same secret. */
const REFRESH_PURPOSE = 'refresh tokens';

await runService('gateway', settings, async ({ log, check, onStop, readiness }) => {
  const redis = connectRedis(settings.REDIS_URL, log);
  onStop(async () => redis.disconnect());
  check('redis', () => redisState(redis, 'caches and rate windows are not shared'));

  const broker = await connectBroker({
    url: settings.RABBITMQ_URL,
    name: 'gateway',
    log,
    inBackground: true,
  });
  check('rabbitmq', () => broker.problem());
  // With a spool it accepts feedback without the broker.
  if (settings.FEEDBACK_SPOOL_DIR === undefined) await broker.publishing.opened;
  onStop(() => broker.close());

  const signers = {
    keys: requestSigner('keys', settings.RPC_SECRETS_KEYS),
    workitems: requestSigner('workitems', settings.RPC_SECRETS_WORKITEMS),
    feedback: requestSigner('feedback', settings.RPC_SECRETS_FEEDBACK),
    events: requestSigner('events', settings.RPC_SECRETS_EVENTS),
  };
  const rpc = createRpcClient({ broker, signers, log, observer: rpcObserver });
  onStop(() => rpc.close());
  const clients: Clients = {
    keys: rpc.of(keysContract),
    workitems: rpc.of(workItemsContract),
    feedback: rpc.of(feedbackContract),
    events: rpc.of(eventsContract),
  };
  const services = serviceChecks(clients);
  for (const [service, answers] of Object.entries(services.checks)) check(service, answers);

  const { FEEDBACK_SPOOL_DIR: folder, FEEDBACK_SPOOL_MAX_MIB: maxMebibytes } = settings;
  const spool =
    folder === undefined
      ? undefined
      : await Spool.open({ folder, maxMebibytes, feedback: clients.feedback, redis, log });
  onStop(async () => spool?.close());

  const signer = eventSigner(settings.EVENT_SECRETS);
  const liveLog = new LiveLog({ broker, signer, reader: logReader(clients.events), log });
  onStop(() => liveLog.close());

  const authenticator = createAuthenticator({
    redis,
    keys: clients.keys,
    log,
    unknownKeysPerAddress: settings.UNKNOWN_KEYS_PER_IP,
    addressSecret: secretKey(settings.IP_HASH_SECRET),
  });
  onStop(() => authenticator.stop());
  const refusals = new Refusals(clients.events, log);
  onStop(() => refusals.stop());

  const addressSecret = secretKey(settings.IP_HASH_SECRET);
  const cancellations = new Cancellations(redis, log);
  onStop(async () => cancellations.close());
  const steps = new ConnectionSteps({ keys: clients.keys, addressSecret, log });
  onStop(() => steps.stop());

  const publicOrigin = settings.PUBLIC_URL ? [new URL(settings.PUBLIC_URL).origin] : [];
  const baseUrl = () => settings.PUBLIC_URL ?? urlOfListener(settings.HOST, (app.server.address() as AddressInfo).port);
  const app = await createApp({
    refusals,
    uploads: {
      localFiles: settings.MCP_LOCAL_FILES,
      ticketKeys: subkeys(settings.WIDGET_TOKEN_SECRETS, TICKET_PURPOSE),
      baseUrl,
    },
    authenticator,
    cancellations,
    clients,
    redis,
    liveLog,
    log,
    requestLog: withoutRedaction(log),
    trustsTraceparent: settings.TRUST_TRACEPARENT,
    trustedProxies: settings.TRUST_PROXY,
    allowedOrigins: new Set([...publicOrigin, ...settings.ALLOWED_ORIGINS]),
    publicUrl: settings.PUBLIC_URL,
    feedbackSettings: settings,
    spool,
    callLimits: {
      perOrganization: settings.CALLS_PER_ORGANIZATION,
      perKey: settings.CALLS_PER_KEY,
      besideOthers: settings.CALLS_BESIDE_OTHERS,
      atOnce: settings.CALLS_AT_ONCE,
    },
    tokenRequestsPerAddress: settings.TOKEN_REQUESTS_PER_IP,
    connect: {
      steps,
      refreshSecret: signingKey(subkeys(settings.WIDGET_TOKEN_SECRETS, REFRESH_PURPOSE))[1],
      allowsRegistration: settings.OAUTH_DYNAMIC_REGISTRATION,
      registrationsPerAddress: settings.OAUTH_REGISTRATIONS_PER_IP,
    },
    console: await loadConsoleFiles(),
    widget: await loadWidgetFiles(settings.WIDGET_PINNED_DIR),
    command: await loadCommandFile(),
    readiness,
    health: () => lookAtHealth({ readiness, services, broker, redis, lastBackupFile: settings.LAST_BACKUP_FILE }),
  });
  // Registered last, so first at shutdown: no new request comes in while those in progress are finished.
  onStop(() => app.close());
  await app.listen({ host: settings.HOST, port: settings.PORT });
  return { port: (app.server.address() as AddressInfo).port };
});
