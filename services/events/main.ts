import { eventsContract } from '@worktrack/contracts/events/contract';
import { LogConsumer } from '@worktrack/rpc/events/log-consumer';
import { NewsPublisher } from '@worktrack/rpc/events/news-publisher';
import { connectBackend } from '@worktrack/runtime/backend';
import { rpcObserver } from '@worktrack/runtime/process/metrics';
import { runService } from '@worktrack/runtime/process/service';
import { sweepEvery } from '@worktrack/runtime/process/sweep-every';
import { enterRefusals } from './audit/refusals.ts';
import { HeadSigner } from './audit/signing.ts';
import { config } from './config.ts';
import { eraseNoted } from './erasures/erase.ts';
import { handlers } from './handlers.ts';
import { canStore } from './log/append.repository.ts';
import { NotificationService } from './notifications/channels/service.ts';
import { keepEntriesFor, keepFor } from './retention.repository.ts';
import { takeAll } from './take.ts';
import { WebhookService } from './webhooks/service.ts';

/** Tests of webhooks, which wait for an endpoint. */
const TESTS_UNDER_WAY = 64;

/** How often the audit log gets what was refused in a minute that has ended, and a signed head if it has grown. */
const REFUSALS_MS = 5_000;
const HEADS_MS = 60_000;
const ERASURES_MS = 60_000;
const NOT_ERASED = 'Erased users may still be named in the logs; trying again';

const settings = config();

await runService('events', settings, async (service) => {
  const { log, onStop } = service;
  const backend = await connectBackend('events', settings, service);
  const { broker, signer } = backend;
  await keepFor(settings.EVENTS_RETENTION_DAYS);
  await keepEntriesFor(settings.AUDIT_RETENTION_DAYS);
  const auditSigner = settings.AUDIT_SIGNING_KEYS && new HeadSigner(settings.AUDIT_SIGNING_KEYS);
  if (!auditSigner) log.warn({}, 'AUDIT_SIGNING_KEYS is not set, so the heads of audit logs are not signed');

  const webhooks = new WebhookService(settings, log);
  const notifications = new NotificationService(settings, log);
  const news = new NewsPublisher(broker, signer);
  const erase = () => {
    eraseNoted().catch((error) => log.warn({ error }, NOT_ERASED));
  };
  onStop(() => news.close());
  const intake = new LogConsumer({
    broker,
    signer,
    log,
    observer: rpcObserver,
    take: async (published) => {
      await takeAll(published, (organizationId, logged) => {
        news.tell(organizationId, { kind: 'events', events: logged });
        webhooks.logged(organizationId, logged);
      });
      if (published.some(({ type }) => type === 'user.erased')) erase();
    },
    canStore,
  });
  onStop(() => intake.close());
  await intake.ready;

  // For webhooks: nothing gets into the log itself except through its queue, which exists by now.
  backend.publish();

  const table = handlers(webhooks, notifications, auditSigner);
  const server = await backend.serve(eventsContract, table, settings.RPC_SECRETS_EVENTS, TESTS_UNDER_WAY);
  const sweeps = [
    sweepEvery(REFUSALS_MS, { log, sweep: enterRefusals, failed: 'Refusals could not be entered; trying again' }),
    // What this process takes in, it does at once: these are left by one that has died, or to be looked at again.
    sweepEvery(ERASURES_MS, { log, sweep: eraseNoted, failed: NOT_ERASED }, true),
  ];
  if (auditSigner) {
    const sweep = () => auditSigner.signAll();
    sweeps.push(sweepEvery(HEADS_MS, { log, sweep, failed: 'Heads could not be signed; trying again' }));
  }
  for (const sweep of sweeps) onStop(() => sweep.stop());
  webhooks.start();
  notifications.start();
  // In parallel: either may have to wait for an endpoint.
  onStop(async () => {
    await Promise.all([server.stop(), webhooks.stop(), notifications.stop()]);
  });
});
