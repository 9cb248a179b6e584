import type { EventType } from '@worktrack/contracts/events/event';
import type { View } from '@worktrack/contracts/work-items/lists/view';
import { inOrder } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { emit } from '@worktrack/runtime/database/outbox/outbox.repository';
import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import type { Start } from '../calls/paging.ts';
import type { Scope, WriteScope } from '../calls/scope.ts';
import { within, withinProject } from '../calls/within.repository.ts';
import { EVERYBODY, ViewModel, type ViewRecord } from './views.model.ts';

export const isShared = ({ seenBy }: Pick<ViewRecord, 'seenBy'>): boolean => seenBy === EVERYBODY;

/** Newest first; one more than the page has, if there is one. */
export function pageOfViews(
  { caller }: WriteScopeOfReads,
  projectId: string | undefined,
  { after, limit }: Pick<Start, 'after' | 'limit'>,
): Promise<ViewRecord[]> {
  return inOrder(ViewModel, {
    filter: { ...withinProject(caller, projectId), seenBy: { $in: [EVERYBODY, caller.userId] } },
    order: { field: '_id', direction: -1 },
    after,
    limit: limit + 1,
    present: [],
  });
}
type WriteScopeOfReads = Pick<WriteScope, 'caller'>;

/** If the caller sees it. */
export async function findView({ caller, tx }: WriteScopeOfReads & Scope, id: string): Promise<ViewRecord | null> {
  const seenBy = oneOf([EVERYBODY, caller.userId]);
  return ViewModel.findOne({ ...within(caller), _id: id, seenBy }, null, { session: tx }).lean();
}

export async function countViews(
  { caller, tx }: Scope & TransactionScope,
  { projectId, seenBy }: Pick<ViewRecord, 'projectId' | 'seenBy'>,
): Promise<number> {
  return ViewModel.countDocuments({ organizationId: caller.organizationId, projectId, seenBy }, { session: tx });
}

export async function insertView(scope: WriteScope & TransactionScope, view: ViewRecord): Promise<void> {
  await ViewModel.insertMany([view], { session: scope.tx, lean: true });
  if (isShared(view)) tellOfView(scope, view, 'view.created', toldOf(view));
}

export async function saveView(
  { caller, tx }: WriteScope & TransactionScope,
  id: string,
  changes: Partial<Pick<ViewRecord, 'name' | 'projectId' | 'seenBy' | 'filters'>>,
): Promise<ViewRecord> {
  return ViewModel.findOneAndUpdate(
    { organizationId: caller.organizationId, _id: id },
    { $set: { ...changes, updatedAt: new Date() }, $inc: { revision: 1 } },
    { session: tx, returnDocument: 'after' },
  )
    .orFail()
    .lean();
}

export async function removeView(scope: WriteScope & TransactionScope, view: ViewRecord): Promise<void> {
  await ViewModel.deleteOne({ organizationId: scope.caller.organizationId, _id: view._id }, { session: scope.tx });
  if (isShared(view)) tellOfView(scope, { ...view, revision: view.revision + 1 }, 'view.deleted', { name: view.name });
}

/** The project's own event says that they are gone. */
export async function removeViewsOfProject(
  { caller, tx }: Pick<WriteScope, 'caller'> & TransactionScope,
  projectId: string,
): Promise<void> {
  await ViewModel.deleteMany({ organizationId: caller.organizationId, projectId }, { session: tx });
}

/** @param view as it is after the write */
export function tellOfView(
  scope: WriteScope,
  { _id: id, projectId, revision }: Pick<ViewRecord, '_id' | 'projectId' | 'revision'>,
  type: Extract<EventType, `view.${string}`>,
  data: Readonly<Record<string, unknown>>,
): void {
  emit(scope, { type, subject: { kind: 'view', id }, revision, projectId, data });
}

export const toldOf = ({ name, filters }: ViewRecord) => ({ name, filters });

export function toView(view: ViewRecord): View {
  return {
    id: view._id,
    name: view.name,
    projectId: view.projectId,
    shared: isShared(view),
    filters: view.filters,
    createdBy: view.createdBy,
    createdAt: view.createdAt.toISOString(),
    updatedAt: view.updatedAt.toISOString(),
  };
}
