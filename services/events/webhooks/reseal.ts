import type { Log } from '@worktrack/rpc/types';
import type { SecretBox } from './secrets.ts';
import { replaceSecrets, secretsAfter } from './webhooks.repository.ts';

const BATCH = 200;

/** Seals all secrets with the key in front, so that those behind it can be taken out. At each start, beside everything else. */
export async function resealAll(box: SecretBox, log: Log, signal: AbortSignal): Promise<void> {
  let count = 0;
  for (let after = ''; ; ) {
    const batch = await secretsAfter(after, BATCH);
    for (const { _id, organizationId, secrets, revision } of batch) {
      if (signal.aborted) return;
      if (secrets.every(({ sealed }) => box.isCurrent(sealed))) continue;
      try {
        const resealed = secrets.map(({ sealed, endsAt }) => ({
          sealed: box.seal(box.open(sealed, _id), _id),
          endsAt,
        }));
        await replaceSecrets({ caller: { organizationId } }, { _id, revision }, resealed);
        count++;
      } catch (error) {
        log.error({ error, webhook: _id }, 'The secret of a webhook could not be sealed with the key in front');
      }
    }
    const last = batch.at(-1);
    if (!last) break;
    after = last._id;
  }
  if (count > 0) log.info({ count }, 'The secrets of webhooks are sealed with the key in front');
}
