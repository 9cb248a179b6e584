import type { FailureOf } from '@worktrack/contracts/operation';
import { MAX_VIEWS } from '@worktrack/contracts/work-items/lists/view';
import type {
  createView as createOperation,
  deleteView as deleteOperation,
  listViews as listOperation,
  updateView as updateOperation,
} from '@worktrack/contracts/work-items/lists/view-operations';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read, WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { differencesOf } from '@worktrack/runtime/database/outbox/differences';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { pageOf, startOf } from '../calls/paging.ts';
import { holdProject, onlyProject, requireProject } from '../projects/projects.repository.ts';
import { EVERYBODY, type ViewRecord } from './views.model.ts';
import {
  countViews,
  findView,
  insertView,
  isShared,
  pageOfViews,
  removeView,
  saveView,
  tellOfView,
  toldOf,
  toView,
} from './views.repository.ts';

type Context = WriteContext<FailureOf<typeof createOperation>>;
type Changing = WriteContext<FailureOf<typeof deleteOperation>>;

export const listViews: Read<typeof listOperation> = async ({ limit, cursor, projectId }, context) => {
  const { organizationId, userId } = context.caller;
  const list = ['views', organizationId, userId, projectId ?? null];
  const start = startOf({ page: 1, limit, cursor }, list, context);
  const found = await pageOfViews(context, projectId, start);
  const placeOf = ({ _id }: ViewRecord) => ({ id: _id, value: _id });
  const { rows, nextCursor } = await pageOf(found, start, list, placeOf, NOT_COUNTED);
  // Nothing else distinguishes a project without views from a missing one.
  if (rows.length === 0 && projectId !== undefined) await requireProject(context, projectId);
  return { views: rows.map(toView), nextCursor };
};
const NOT_COUNTED = async () => ({ total: 0, isLowerBound: true });

export const createView: WriteAlone<typeof createOperation> = async ({ name, shared, filters, ...input }, context) => {
  const { organizationId, userId } = context.caller;
  const projectId = input.projectId ?? context.caller.sessionProjectId ?? (await onlyProject(context))?._id;
  if (projectId === undefined) {
    const message = 'is required: there are several projects';
    throw context.fail('VALIDATION_FAILED', `projectId ${message}.`, { details: [{ path: 'projectId', message }] });
  }
  if (shared) requireSharing(context);
  const now = new Date();
  const times = { revision: 1, createdAt: now, updatedAt: now };
  const seenBy = shared ? EVERYBODY : userId;
  const view = { _id: uuidv7(), organizationId, projectId, name, seenBy, createdBy: userId, filters, ...times };
  await requireRoom(context, view);
  await insertView(context, view);
  return toView(view);
};

export const updateView: WriteAlone<typeof updateOperation> = async ({ id, shared, ...given }, context) => {
  const before = await requireOwn(context, id);
  const changes = { ...given, ...(shared !== undefined && { seenBy: shared ? EVERYBODY : before.createdBy }) };
  const wanted = { ...before, ...changes };
  if (shared && !isShared(before)) requireSharing(context);
  if (wanted.projectId !== before.projectId || wanted.seenBy !== before.seenBy) await requireRoom(context, wanted);
  const after = await saveView(context, id, changes);
  tell(context, before, after);
  return toView(after);
};

export const deleteView: WriteAlone<typeof deleteOperation> = async ({ id }, context) => {
  await removeView(context, await requireOwn(context, id));
  return { deleted: true, id };
};

/** Those who are told know only what is shared, and only in its project. */
function tell(context: Context, before: ViewRecord, after: ViewRecord): void {
  const isElsewhere = before.projectId !== after.projectId;
  if (isShared(before) && (isElsewhere || !isShared(after))) {
    tellOfView(context, { ...after, projectId: before.projectId }, 'view.deleted', { name: before.name });
  }
  if (!isShared(after)) return;
  if (isElsewhere || !isShared(before)) {
    tellOfView(context, after, 'view.created', toldOf(after));
    return;
  }
  const changes = differencesOf(toView(before), toView(after));
  if (Object.keys(changes).length > 0) tellOfView(context, after, 'view.updated', { changes });
}

/** One that the caller may change. Those of others that are not shared do not exist. */
async function requireOwn(context: Changing, id: string): Promise<ViewRecord> {
  const view = await findView(context, id);
  if (!view) throw context.fail('NOT_FOUND', `There is no view ${id}. GET /api/views lists them.`);
  const { userId, permissions } = context.caller;
  if (permissions.includes('projects:write')) return view;
  if (view.createdBy !== userId) {
    throw context.fail(
      'PERMISSION_DENIED',
      `The view "${view.name}" is another user's; changing it takes projects:write.`,
    );
  }
  // Others see a shared view. Its owner may have lost the right to share, and may use a key without it.
  if (isShared(view)) requireSharing(context);
  return view;
}

function requireSharing({ caller, fail }: Changing): void {
  if (!caller.permissions.includes('work-items:write')) {
    throw fail(
      'PERMISSION_DENIED',
      'Sharing a view, or changing a shared one, takes work-items:write. Without shared: true you can keep it for yourself.',
    );
  }
}

async function requireRoom(context: Context, view: Pick<ViewRecord, 'projectId' | 'seenBy'>): Promise<void> {
  // Those that are added at once take turns.
  await holdProject(context, view.projectId);
  if ((await countViews(context, view)) < MAX_VIEWS) return;
  const whose = isShared(view) ? 'shared views' : 'views of yours';
  throw context.fail(
    'CONFLICT',
    `The project has ${MAX_VIEWS} ${whose}, which is the limit. Delete one of them first.`,
    { reason: 'limit' },
  );
}
