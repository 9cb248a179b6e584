import { connectDatabase } from '@worktrack/runtime/database/connection';
import { keyRingSetting } from '@worktrack/runtime/process/key-ring';
import { createLog } from '@worktrack/runtime/process/logging';
import { WebhookService } from './service.ts';

/** A process that sends to webhooks, for a test that kills or freezes it. */
const [, , url = '', database = '', secrets = ''] = process.argv;
const log = createLog('test', 'silent');
await connectDatabase({ url, database, log });
const settings = {
  WEBHOOK_SECRETS: keyRingSetting.parse(secrets),
  WEBHOOK_ALLOWED_NETWORKS: ['127.0.0.1'],
};
new WebhookService(settings, log).start();
process.once('disconnect', () => process.exit());
