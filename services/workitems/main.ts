import { workItemsContract } from '@worktrack/contracts/work-items/contract';
import { connectBroker } from '@worktrack/rpc/connection';
import { NewsPublisher } from '@worktrack/rpc/events/news-publisher';
import { subscribeToEvents } from '@worktrack/rpc/events/subscription';
import { serveRpc } from '@worktrack/rpc/server';
import { connectDatabase, databaseProblem, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { migrate } from '@worktrack/runtime/database/migrations/migrate';
import { onEmitted, outbox } from '@worktrack/runtime/database/outbox/outbox.repository';
import { OutboxPublisher } from '@worktrack/runtime/events/outbox-publisher';
import { rpcObserver } from '@worktrack/runtime/process/metrics';
import { eventSigner, requestSigner } from '@worktrack/runtime/process/request-signers';
import { runService } from '@worktrack/runtime/process/service';
import { sweepUnnamedContent } from './attachments/sweep.ts';
import { config } from './config.ts';
import { sweepLateDependents } from './dependencies/catch-up.ts';
import { handlers } from './handlers.ts';
import { PastFirst } from './history/past-first.ts';
import { onBeat } from './leases/beats.ts';
import { sweepEndedLeases } from './leases/settle.ts';
import { WaitingClaims } from './leases/waiting-claims.ts';
import { AWAITED_EVENTS } from './leases/waiting-scope.ts';
import { attentionMigration } from './migrations/attention.repository.ts';
import { claimableMigration } from './migrations/claimable.repository.ts';
import { logMigration } from './migrations/log.repository.ts';
import { searchWordsMigration } from './migrations/search-words.repository.ts';
import { talliesMigration } from './migrations/tallies.repository.ts';
import { followNames } from './people/follow-names.ts';
import { usePriceFile } from './sessions/price-file.ts';

const settings = config();

await runService('workitems', settings, async ({ log, check, onStop }) => {
  const database = `${settings.MONGODB_DATABASE_PREFIX}_workitems`;
  await connectDatabase({ url: settings.MONGODB_URL, database, log });
  onStop(disconnectDatabase);
  check('mongodb', databaseProblem);
  if (settings.MODEL_PRICES_FILE) await usePriceFile(settings.MODEL_PRICES_FILE, log);
  const migrations = await migrate(
    [talliesMigration, claimableMigration, searchWordsMigration, logMigration, attentionMigration],
    { log },
  );
  onStop(() => migrations.stop());
  const events = new PastFirst(outbox);
  void migrations.done.then(() => events.end());
  const sweep = sweepUnnamedContent(log);
  onStop(() => sweep.stop());
  const leases = sweepEndedLeases(log);
  onStop(() => leases.stop());
  const dependents = sweepLateDependents(log);
  onStop(() => dependents.stop());
  const names = followNames(log);
  onStop(() => names.stop());

  const broker = await connectBroker({ url: settings.RABBITMQ_URL, name: 'workitems', log });
  onStop(() => broker.close());
  check('rabbitmq', () => broker.problem());

  const signer = eventSigner(settings.EVENT_SECRETS);
  const publisher = new OutboxPublisher({ broker, service: 'workitems', signer, log, sources: [events], onEmitted });
  onStop(() => publisher.close());

  const news = new NewsPublisher(broker, signer);
  onStop(() => news.close());
  onBeat((organizationId, beat) => news.tell(organizationId, { kind: 'beat', beat }));

  const waitingClaims = new WaitingClaims((heard) => {
    const subscription = subscribeToEvents({ broker, signer, log, types: AWAITED_EVENTS, ...heard });
    onStop(() => subscription.close());
  });
  const server = await serveRpc({
    broker,
    contract: workItemsContract,
    handlers: handlers(settings.promptModel, waitingClaims),
    signer: requestSigner('workitems', settings.RPC_SECRETS_WORKITEMS),
    log,
    observer: rpcObserver,
  });
  onStop(() => server.stop());
  return undefined;
});
