import { workItemsContract } from '@worktrack/contracts/work-items/contract';
import { connectBroker } from '@worktrack/rpc/connection';
import { serveRpc } from '@worktrack/rpc/server';
import { connectDatabase, databaseProblem, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { migrate } from '@worktrack/runtime/database/migrations/migrate';
import { rpcObserver } from '@worktrack/runtime/process/metrics';
import { requestSigner } from '@worktrack/runtime/process/request-signers';
import { runService } from '@worktrack/runtime/process/service';
import { sweepUnnamedContent } from './attachments/sweep.ts';
import { config } from './config.ts';
import { handlers } from './handlers.ts';
import { sweepEndedLeases } from './leases/settle.ts';
import { claimableMigration } from './migrations/claimable.repository.ts';
import { foundByMigration } from './migrations/found-by.repository.ts';
import { searchWordsMigration } from './migrations/search-words.repository.ts';
import { talliesMigration } from './migrations/tallies.repository.ts';

const settings = config();

await runService('workitems', settings, async ({ log, check, onStop }) => {
  const database = `${settings.MONGODB_DATABASE_PREFIX}_workitems`;
  await connectDatabase({ url: settings.MONGODB_URL, database, log });
  onStop(disconnectDatabase);
  check('mongodb', databaseProblem);
  const migrations = await migrate([foundByMigration, talliesMigration, claimableMigration, searchWordsMigration], {
    log,
  });
  onStop(() => migrations.stop());
  const sweep = sweepUnnamedContent(log);
  onStop(async () => sweep.stop());
  const leases = sweepEndedLeases(log);
  onStop(async () => leases.stop());

  const broker = await connectBroker({ url: settings.RABBITMQ_URL, name: 'workitems', log });
  onStop(() => broker.close());
  check('rabbitmq', () => (broker.state().ready ? undefined : 'not connected'));

  const server = await serveRpc({
    broker,
    contract: workItemsContract,
    handlers: handlers(settings.promptModel),
    signer: requestSigner('workitems', settings.RPC_SECRETS_WORKITEMS),
    log,
    observer: rpcObserver,
  });
  onStop(() => server.stop());
  return undefined;
});
