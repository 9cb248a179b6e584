import { eventsContract } from '@worktrack/contracts/events/contract';
import { connectBroker } from '@worktrack/rpc/connection';
import { LogConsumer } from '@worktrack/rpc/events/log-consumer';
import { NewsPublisher } from '@worktrack/rpc/events/news-publisher';
import { serveRpc } from '@worktrack/rpc/server';
import { connectDatabase, databaseProblem, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { onEmitted, outbox } from '@worktrack/runtime/database/outbox.repository';
import { OutboxPublisher } from '@worktrack/runtime/events/outbox-publisher';
import { rpcObserver } from '@worktrack/runtime/process/metrics';
import { eventSigner, requestSigner } from '@worktrack/runtime/process/request-signers';
import { runService } from '@worktrack/runtime/process/service';
import { config } from './config.ts';
import { handlers } from './handlers.ts';
import { takeIn } from './log/intake.ts';
import { canStore } from './log/log.repository.ts';
import { keepFor } from './log/retention.repository.ts';
import { WebhookService } from './webhooks/service.ts';

/** Tests of webhooks, which wait for an endpoint. */
const TESTS_UNDER_WAY = 64;

const settings = config();

await runService('events', settings, async ({ log, check, onStop }) => {
  await connectDatabase({
    url: settings.MONGODB_URL,
    database: `${settings.MONGODB_DATABASE_PREFIX}_events`,
    log,
  });
  onStop(disconnectDatabase);
  check('mongodb', databaseProblem);
  await keepFor(settings.EVENTS_RETENTION_DAYS);

  const broker = await connectBroker({ url: settings.RABBITMQ_URL, name: 'events', log });
  onStop(() => broker.close());
  check('rabbitmq', () => (broker.state().ready ? undefined : 'not connected'));

  const signer = eventSigner(settings.EVENT_SECRETS);
  const webhooks = new WebhookService(settings, log);
  const news = new NewsPublisher(broker, signer);
  onStop(() => news.close());
  const intake = new LogConsumer({
    broker,
    signer,
    log,
    observer: rpcObserver,
    take: (events) =>
      takeIn(events, (organizationId, logged) => {
        news.tell(organizationId, { kind: 'events', events: logged });
        webhooks.logged(organizationId, logged);
      }),
    canStore,
  });
  onStop(() => intake.close());
  await intake.ready;

  // For webhooks: nothing gets into the log itself except through its queue, which exists by now.
  const publisher = new OutboxPublisher({ broker, service: 'events', signer, log, sources: [outbox], onEmitted });
  onStop(() => publisher.close());

  const server = await serveRpc({
    broker,
    contract: eventsContract,
    handlers: handlers(webhooks),
    signer: requestSigner('events', settings.RPC_SECRETS_EVENTS),
    log,
    observer: rpcObserver,
    longPrefetch: TESTS_UNDER_WAY,
  });
  webhooks.start();
  // In parallel: either may have to wait for an endpoint.
  onStop(async () => {
    await Promise.all([server.stop(), webhooks.stop()]);
  });
  return undefined;
});
