import { feedbackContract } from '@worktrack/contracts/feedback/contract';
import { connectBackend } from '@worktrack/runtime/backend';
import { migrate } from '@worktrack/runtime/database/migrations/migrate';
import { outbox } from '@worktrack/runtime/database/outbox/outbox.repository';
import { runService } from '@worktrack/runtime/process/service';
import { connectRedis } from '@worktrack/runtime/redis/connection';
import { config } from './config.ts';
import { handlers } from './handlers.ts';
import { foundByMigration } from './items/found-by.repository.ts';
import { receipts } from './items/received.repository.ts';
import { assemble } from './parts.ts';
import { Retention } from './retention/retention.ts';

/** Captchas waiting for a verifier on the internet, which may take seconds. */
const CAPTCHAS_UNDER_WAY = 64;

const settings = config();

await runService('feedback', settings, async (service) => {
  const { log, onStop } = service;
  const backend = await connectBackend('feedback', settings, service);
  const migrations = await migrate([foundByMigration], log);
  onStop(() => migrations.stop());

  // Not part of readiness: without it, duplicates and spent captcha solutions are only known to this process.
  const redis = connectRedis(settings.REDIS_URL, log);
  onStop(async () => redis.disconnect());

  backend.publish([outbox, receipts]);
  const parts = assemble(settings, redis, log);
  const secrets = settings.RPC_SECRETS_FEEDBACK;
  const server = await backend.serve(feedbackContract, handlers(parts), secrets, CAPTCHAS_UNDER_WAY);
  onStop(() => server.stop());

  const retention = new Retention(parts.duplicates, log);
  retention.start();
  onStop(() => retention.stop());
});
