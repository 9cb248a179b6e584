import type { Log } from '@worktrack/rpc/types';
import { replaceSecrets, secretsAfter } from '../webhooks.repository.ts';
import type { SecretBox } from './secrets.ts';

const BATCH = 200;

/** Seals all secrets with the first key, so that the others can be removed. Runs at each start, in the background. */
export async function resealAll(box: SecretBox, log: Log, signal: AbortSignal): Promise<void> {
  let isWhole = true;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const batch = await secretsAfter(after, BATCH);
    for (const webhook of batch) {
      if (signal.aborted) return;
      if (!(await reseal(box, webhook, log))) isWhole = false;
    }
    after = batch.at(-1)?._id;
  }
  // Anybody rotating the key waits for this (docs/operations.md).
  if (isWhole) log.info({}, 'The secrets of webhooks are encrypted with the first key');
}

type Sealed = Awaited<ReturnType<typeof secretsAfter>>[number];

/** @returns whether what is stored is sealed with the first key */
async function reseal(box: SecretBox, webhook: Sealed, log: Log): Promise<boolean> {
  const { _id, organizationId, secrets } = webhook;
  if (secrets.every(({ sealed }) => box.isCurrent(sealed))) return true;
  try {
    const resealed = secrets.map(({ sealed, endsAt }) => ({ sealed: box.seal(box.open(sealed, _id), _id), endsAt }));
    if (await replaceSecrets({ caller: { organizationId } }, webhook, resealed)) return true;
    log.warn(
      { webhook: _id },
      'A webhook was changed while its secret was being encrypted again; the next start will do it',
    );
  } catch (error) {
    log.error({ error, webhook: _id }, 'The secret of a webhook could not be encrypted with the first key');
  }
  return false;
}
