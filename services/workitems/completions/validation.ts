import type { Input } from '@worktrack/contracts/operation';
import type { completeValidation as operation } from '@worktrack/contracts/work-items/agents/completions';
import { DEFAULT_REVIEW_PROVIDER } from '@worktrack/contracts/work-items/costs/sessions';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { boardOf } from '../boards/boards.repository.ts';
import { columnOfRole, requireColumn, requireColumnOfRole } from '../boards/columns.ts';
import { AFTER_VALIDATION } from '../boards/progress.ts';
import type { FailingScope } from '../calls/scope.ts';
import { requireVersion } from '../calls/version.ts';
import { baseWarnings, tellOfPass } from '../dependencies/returned-bases.ts';
import { passVerdict } from '../gates/gates.ts';
import { takeFrom } from '../gates/taking.ts';
import { requireItem } from '../items/items.repository.ts';
import { failedTests, sentBack } from '../items/returned.ts';
import { versionOf } from '../items/shown/present.ts';
import { heldWarnings, warned } from '../items/warnings.ts';
import { merged } from '../metadata/metadata.ts';
import { metadataEvents } from '../metadata/metadata-event.ts';
import { moveTo } from '../moves/move.ts';
import { requireSameItem } from '../usage/same-item.ts';
import { keepSession } from '../usage/session.ts';

const SESSION_TYPE = 'validate';

/** Results, documentation and session are recorded whatever the outcome; it only determines where the item goes. */
export const completeValidation: WriteGrouped<typeof operation> = async (input, context) => {
  const item = await requireItem(context, input.workItemId);
  requireSameItem(context, item, input.taskId);
  const board = await boardOf(context, item);
  requireVersion(context, versionOf(item, board), input.version);
  const passed = input.result ? input.result === 'pass' : (input.testResults?.failed ?? 0) === 0;
  const { to, redirected } = destinationOf(context, board, input, passed);

  const { documentation } = input;
  const testResults = resultsOf(input);
  const patch = { ...(documentation && { documentation }), ...(testResults && { testResults }) };
  const metadata = merged(context, item.metadata, patch);
  const { session, event } = await keepSession(context, item, {
    ...input,
    otherwise: DEFAULT_REVIEW_PROVIDER,
    sessionType: SESSION_TYPE,
    ...sessionOf(input),
  });
  const verdict = { kind: 'validation', isPass: passed, hasResults: testResults !== undefined } as const;
  const faults = await passVerdict(context, item, board, verdict);
  const taken = takeFrom(context, item, to, input.takeOver);
  const failure = failedTests(testResults);
  const back = !passed && sentBack(item, { from: 'validation', ...failure }, to);
  const { fromColumn, toColumn, moved } = await moveTo(context, item, board, to, {
    changes: { ...taken.changes, isAiProcessing: false, metadata, ...back },
    events: [...taken.events, ...metadataEvents(item.metadata, metadata, Object.keys(patch)), event],
    ...(back && { sentBack: { until: 'validation', ...failure } }),
  });
  if (passed) await tellOfPass(context, item, ['review', 'validation']);
  const { id, estimatedCost, costBasis, totalTokens } = session;
  return {
    completed: true,
    workItemId: item._id,
    taskId: item.taskId,
    passed,
    fromColumn,
    movedTo: toColumn,
    redirected,
    sessionId: id,
    estimatedCost,
    costBasis,
    totalTokens,
    ...warned(
      faults,
      baseWarnings(item),
      taken.warnings,
      moved.lease ? heldWarnings([item], context.caller.keyId) : [],
    ),
  };
};

/** Includes a person's own words, since a person may have counted no tests. */
function resultsOf({ testResults, result, summary, issues }: Input<typeof operation>) {
  if (!testResults && !result) return undefined;
  return { ...testResults, ...(summary && { summary }), ...(issues && issues.length > 0 && { issues }) };
}

/** A person's verdict takes no model and costs nothing. */
function sessionOf({ model, totalTokens = 0 }: Input<typeof operation>) {
  if (model !== undefined) return { model, totalTokens };
  return { model: PERSON, provider: PERSON, totalTokens: 0, costUsd: 0, sessionType: 'review' };
}
const PERSON = 'person';

/** A pass goes to the given column, with `Validating` taken as `To Document` (a frequent mistake), or else to `To Document`. */
function destinationOf(
  context: FailingScope<'VALIDATION_FAILED'>,
  board: BoardRecord,
  { toDocumentColumnId, validatingColumnId }: Input<typeof operation>,
  passed: boolean,
): { readonly to: ColumnRecord; readonly redirected: boolean } {
  const given =
    toDocumentColumnId !== undefined
      ? requireColumn(context, board, toDocumentColumnId, 'toDocumentColumnId')
      : validatingColumnId !== undefined
        ? requireColumn(context, board, validatingColumnId, 'validatingColumnId')
        : undefined;
  if (!passed) {
    const to = requireColumnOfRole(context, board, ['in_progress'], 'give it one: a failed validation goes there');
    return { to, redirected: false };
  }
  const toDocument = columnOfRole(board, ...AFTER_VALIDATION);
  if (given && given.role !== 'validating') return { to: given, redirected: false };
  if (given) return toDocument ? { to: toDocument, redirected: true } : { to: given, redirected: false };
  const to = requireColumnOfRole(context, board, AFTER_VALIDATION, 'give toDocumentColumnId');
  return { to, redirected: false };
}
