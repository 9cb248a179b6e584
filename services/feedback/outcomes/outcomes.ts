import {
  OUTCOME_DAYS,
  type recordOutcomes as recordOp,
  type sourceOutcomes as showOp,
} from '@worktrack/contracts/feedback/outcomes';
import type { Input } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { sourcesWith } from '../sources/sources.repository.ts';
import { getSource } from '../sources/sources.ts';
import { addOutcomes, outcomesOf } from './outcomes.repository.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export async function recordOutcomes({ counts }: Input<typeof recordOp>, { tx }: WriteContext) {
  const sources = await sourcesWith(counts.map(({ publicKey }) => publicKey));
  const counted = counts.flatMap(({ publicKey, ...rest }) => {
    const source = sources.get(publicKey);
    return source ? [{ ...rest, organizationId: source.organizationId, sourceId: source._id }] : [];
  });
  await addOutcomes({ tx }, counted);
  return {};
}

export const showOutcomes: Read<typeof showOp> = async ({ id }, context) => {
  await getSource({ id }, context);
  const now = Date.now();
  const days = Array.from({ length: OUTCOME_DAYS }, (_, i) => new Date(now - i * DAY_MS).toISOString().slice(0, 10));
  return { days: [...(await outcomesOf(context, id, days))] };
};
