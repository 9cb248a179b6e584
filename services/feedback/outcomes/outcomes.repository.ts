import { OUTCOMES, type Outcome } from '@worktrack/contracts/feedback/outcomes';
import { oneOf } from '@worktrack/runtime/database/one-of';
import type { Scope } from '@worktrack/runtime/database/scope';
import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import { OutcomesModel } from './outcomes.model.ts';

export interface DayCounts extends Readonly<Record<Outcome, number>> {
  readonly day: string;
}

export interface Counted extends DayCounts {
  readonly organizationId: string;
  readonly sourceId: string;
}

const idOf = (sourceId: string, day: string) => `${sourceId} ${day}`;

export async function addOutcomes({ tx }: Pick<TransactionScope, 'tx'>, counted: readonly Counted[]): Promise<void> {
  const updates = counted.map(({ organizationId, sourceId, day, ...counts }) => ({
    updateOne: {
      filter: { organizationId, _id: idOf(sourceId, day) },
      update: {
        $inc: Object.fromEntries(OUTCOMES.filter((outcome) => counts[outcome] > 0).map((each) => [each, counts[each]])),
        $setOnInsert: { at: new Date(day) },
      },
      upsert: true,
    },
  }));
  if (updates.length > 0) await OutcomesModel.bulkWrite(updates, { session: tx, ordered: false });
}

/** Of the days that had any, in the given order. */
export async function outcomesOf(
  { caller: { organizationId } }: Scope,
  sourceId: string,
  days: readonly string[],
): Promise<readonly DayCounts[]> {
  const ids = days.map((day) => idOf(sourceId, day));
  const documents = await OutcomesModel.find({ organizationId, _id: oneOf(ids) }).lean();
  const found = new Map(documents.map((document) => [document._id, document]));
  return days.flatMap((day) => {
    const document = found.get(idOf(sourceId, day));
    if (!document) return [];
    const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, document[outcome] ?? 0]));
    return [{ day, ...(counts as Record<Outcome, number>) }];
  });
}
