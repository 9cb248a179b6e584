import { workItemsContract } from '@worktrack/contracts/work-items/contract';
import { NewsPublisher } from '@worktrack/rpc/events/news-publisher';
import { subscribeToEvents } from '@worktrack/rpc/events/subscription';
import { connectBackend } from '@worktrack/runtime/backend';
import { migrate } from '@worktrack/runtime/database/migrations/migrate';
import { runService } from '@worktrack/runtime/process/service';
import { sweepUnnamedContent } from './attachments/sweep.ts';
import { config } from './config.ts';
import { sweepLateDependents } from './dependencies/catch-up.ts';
import { handlers } from './handlers.ts';
import { onBeat } from './leases/beats.ts';
import { sweepEndedLeases } from './leases/settle.ts';
import { WaitingClaims } from './leases/waiting-claims.ts';
import { AWAITED_EVENTS } from './leases/waiting-scope.ts';
import { attentionMigration } from './migrations/attention.repository.ts';
import { claimableMigration } from './migrations/claimable.repository.ts';
import { searchWordsMigration } from './migrations/search-words.repository.ts';
import { talliesMigration } from './migrations/tallies.repository.ts';
import { followNames } from './people/follow-names.ts';
import { usePriceFile } from './sessions/price-file.ts';

const settings = config();

await runService('workitems', settings, async (service) => {
  const { log, onStop } = service;
  const backend = await connectBackend('workitems', settings, service);
  const { broker, signer } = backend;
  if (settings.MODEL_PRICES_FILE) await usePriceFile(settings.MODEL_PRICES_FILE, log);
  const migrations = await migrate(
    [talliesMigration, claimableMigration, searchWordsMigration, attentionMigration],
    log,
  );
  onStop(() => migrations.stop());
  for (const begin of [sweepUnnamedContent, sweepEndedLeases, sweepLateDependents, followNames]) {
    const sweep = begin(log);
    onStop(() => sweep.stop());
  }

  backend.publish();
  const news = new NewsPublisher(broker, signer);
  onStop(() => news.close());
  onBeat((organizationId, beat) => news.tell(organizationId, { kind: 'beat', beat }));

  const waitingClaims = new WaitingClaims((heard) => {
    const subscription = subscribeToEvents({ broker, signer, log, types: AWAITED_EVENTS, ...heard });
    onStop(() => subscription.close());
  });
  const table = handlers(settings.promptModel, waitingClaims);
  const server = await backend.serve(workItemsContract, table, settings.RPC_SECRETS_WORKITEMS);
  onStop(() => server.stop());
});
