import type { recordRefusals as operation } from '@worktrack/contracts/audit/operations';
import type { Input } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { enter } from './enter.ts';
import type { RefusalDocument } from './refusals.model.ts';
import { closeRefusal, countRefusal, endedBefore, entryOfRefusal, removeRefusal } from './refusals.repository.ts';

const MINUTE_MS = 60_000;
/** How long after its minute a gateway may report a refusal. */
const GRACE_MS = 4_000;
const AT_ONCE = 500;

export async function recordRefusals(
  { refusals }: Input<typeof operation>,
  { tx }: WriteContext,
): Promise<Record<string, never>> {
  for (const refusal of refusals) await countRefusal(refusal, tx);
  return {};
}

/** Makes an entry of each minute that has ended. Whoever else does the same finds it entered. */
export async function enterRefusals(nowMs = Date.now()): Promise<void> {
  const minute = Math.floor((nowMs - GRACE_MS) / MINUTE_MS);
  for (;;) {
    const ended = await endedBefore(minute, AT_ONCE);
    const closed: RefusalDocument[] = [];
    for (const each of ended) closed.push(...(await closeRefusal(each)));
    await enter(closed.map(entryOfRefusal));
    for (const each of closed) await removeRefusal(each);
    if (ended.length < AT_ONCE) return;
  }
}
