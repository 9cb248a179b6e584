import { MAX_METADATA_BYTES, type Metadata } from '@worktrack/contracts/metadata';
import type { completeReview as operation } from '@worktrack/contracts/work-items/agents/completions';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import { boardOf } from '../boards/boards.repository.ts';
import { requireColumnOfRole } from '../boards/columns.ts';
import { AFTER_REVIEW } from '../boards/progress.ts';
import { requireVersion } from '../calls/version.ts';
import { baseWarnings, tellOfPass } from '../dependencies/returned-bases.ts';
import { passVerdict } from '../gates/gates.ts';
import { takeFrom } from '../gates/taking.ts';
import { requireItem } from '../items/items.repository.ts';
import { sentBack } from '../items/returned.ts';
import { versionOf } from '../items/shown/present.ts';
import { heldWarnings, warned } from '../items/warnings.ts';
import { merged } from '../metadata/metadata.ts';
import { metadataEvents } from '../metadata/metadata-event.ts';
import { moveTo } from '../moves/move.ts';

const MAX_EARLIER_REVIEWS = 20;

/** A pass moves the task on to testing or the next step, a fail back to `in_progress`; either way the AI's part is over. */
export const completeReview: WriteGrouped<typeof operation> = async (input, context) => {
  const item = await requireItem(context, input.workItemId);
  const board = await boardOf(context, item);
  requireVersion(context, versionOf(item, board), input.version);
  const { result, summary, issues, reviewedFiles } = input;
  const to = requireColumnOfRole(
    context,
    board,
    result === 'pass' ? AFTER_REVIEW : ['in_progress'],
    'give it one, or record the review as a comment and move the item yourself',
  );
  const review = { result, summary, issues, reviewedFiles, reviewedAt: new Date().toISOString() };
  const metadata = merged(context, withReview(item.metadata, review), {});
  const faults = await passVerdict(context, item, board, { kind: 'review', isPass: result === 'pass' });
  const taken = takeFrom(context, item, to, input.takeOver);
  const back = result === 'fail' && sentBack(item, { from: 'review', summary, issues }, to);
  const { fromColumn, toColumn, moved } = await moveTo(context, item, board, to, {
    changes: { ...taken.changes, isAiProcessing: false, metadata, ...back },
    // Without the review history: each review has its own event.
    events: [...taken.events, ...metadataEvents(item.metadata, metadata, ['review'])],
    ...(back && { sentBack: { until: 'review', summary, issues } }),
  });
  if (result === 'pass') await tellOfPass(context, item, ['review']);
  const { _id: workItemId, taskId } = item;
  const leaseWarnings = moved.lease ? heldWarnings([item], context.caller.keyId) : [];
  const warnings = warned(faults, baseWarnings(item), taken.warnings, leaseWarnings);
  return { completed: true, workItemId, taskId, result, fromColumn, movedTo: toColumn, ...warnings };
};

/**
 * The latest review replaces the previous one, which joins the earlier ones. The oldest are dropped if there are too many, or if they
 * take up too much room: an item with long reviews must remain reviewable.
 */
function withReview(metadata: Metadata, review: Metadata): Metadata {
  const { review: before, reviewHistory, ...rest } = metadata;
  const earlier = [...(Array.isArray(reviewHistory) ? reviewHistory : []), ...(before === undefined ? [] : [before])];
  const kept = earlier.slice(-MAX_EARLIER_REVIEWS);
  const all = () => ({ ...rest, review, ...(kept.length > 0 && { reviewHistory: kept }) });
  while (kept.length > 0 && Buffer.byteLength(JSON.stringify(all())) > MAX_METADATA_BYTES) kept.shift();
  return all();
}
