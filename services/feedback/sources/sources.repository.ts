import type { EventType } from '@worktrack/contracts/events/event';
import type { AdmittedSource } from '@worktrack/contracts/feedback/intake';
import type { Source } from '@worktrack/contracts/feedback/records';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { differencesOf } from '@worktrack/runtime/database/outbox/differences';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose, { type ClientSession } from 'mongoose';
import { quotasOf } from '../quotas/quotas.repository.ts';
import { tell } from '../tell.ts';
import type { TellingScope } from '../telling-scope.ts';
import { DeletedSourceModel } from './deleted-sources.model.ts';
import { type SourceDocument, SourceModel } from './sources.model.ts';

/** What a Date can hold (ECMA-262, 21.4.1.1). */
const EVER = new Date(-8.64e15);
const DAY_MS = 24 * 60 * 60 * 1000;

type Settings = Omit<
  SourceDocument,
  '_id' | 'organizationId' | 'erasedBefore' | 'revision' | 'createdAt' | 'updatedAt'
>;
/** `null` removes the source's project, its own limits, or its retention. */
export type SourceChange = Partial<Omit<Settings, 'publicKey' | 'projectId' | 'rateLimit' | 'retentionDays'>> & {
  projectId?: string | null;
  rateLimit?: SourceDocument['rateLimit'] | null;
  retentionDays?: number | null;
};

export async function insertSource(scope: TellingScope, settings: Settings): Promise<Source> {
  const { organizationId } = scope.caller;
  const now = new Date();
  const made = { _id: uuidv7(), organizationId, revision: 1, createdAt: now, updatedAt: now };
  const document: SourceDocument = { ...settings, ...made };
  await SourceModel.create([document], { session: scope.tx });
  const { publicKey: _, ...shown } = settings;
  tellOf(scope, document, 'source.created', shown);
  return recordOf(document);
}

/** @param source as it is after the write */
function tellOf(
  scope: TellingScope,
  { _id: id, revision = 0, projectId }: Pick<SourceDocument, '_id' | 'revision' | 'projectId'>,
  type: Extract<EventType, `source.${string}`>,
  data: Readonly<Record<string, unknown>>,
): void {
  tell(scope, { type, subject: { kind: 'source', id }, revision, ...(projectId && { projectId }), data });
}

export async function countSources({ caller: { organizationId }, tx }: TransactionalScope): Promise<number> {
  return SourceModel.countDocuments({ organizationId }, { session: tx });
}

/** Newest first. */
export async function sourcesOf({ caller }: Scope): Promise<Source[]> {
  const { organizationId } = caller;
  return (
    await SourceModel.find({ organizationId, ...ofCaller(caller) })
      .sort({ _id: -1 })
      .lean()
  ).map(recordOf);
}

/** To a limited caller the sources of no project do not exist. */
function ofCaller({ projects }: Scope['caller']) {
  return projects && { projectId: oneOf(projects) };
}

/** A filter of items: a limited caller sees what was submitted to the sources of its projects. */
export async function submittedTo({ caller, tx }: Scope): Promise<{ readonly sourceId?: object }> {
  if (!caller.projects) return {};
  const { organizationId } = caller;
  const sources = await SourceModel.find({ organizationId, ...ofCaller(caller) }, { _id: 1 }, { session: tx }).lean();
  return { sourceId: oneOf(sources.map(({ _id }) => _id)) };
}

/** Where events of these items happen, by source: in its project. Most sources belong to none. */
export async function placesOf(
  items: readonly { readonly organizationId: string; readonly sourceId: string }[],
  tx?: ClientSession,
): Promise<Places> {
  if (items.length === 0) return new Map();
  const [_id, organizationId] = [
    oneOf(items.map((item) => item.sourceId)),
    oneOf(items.map((item) => item.organizationId)),
  ];
  const sources = await SourceModel.find({ _id, organizationId }, { projectId: 1 }, { session: tx }).lean();
  return new Map(sources.flatMap(({ _id, projectId }) => (projectId ? [[_id, { projectId }] as const] : [])));
}
export type Places = ReadonlyMap<string, { readonly projectId: string }>;

export async function sourceById({ caller, tx }: Scope, id: string): Promise<Source | undefined> {
  const { organizationId } = caller;
  const document = await SourceModel.findOne({ organizationId, _id: id, ...ofCaller(caller) }, null, {
    session: tx,
  }).lean();
  return document ? recordOf(document) : undefined;
}

/** @returns undefined if there is none */
export async function changeSource(scope: TellingScope, id: string, change: SourceChange): Promise<Source | undefined> {
  const { caller, tx } = scope;
  const { organizationId } = caller;
  const read = () => SourceModel.findOne({ organizationId, _id: id }, null, { session: tx }).lean();
  const before = (await sourceById(scope, id)) && (await read());
  if (!before) return undefined;
  const fields = Object.entries(change);
  const taken = fields.filter(([, value]) => value === null).map(([field]) => [field, 1]);
  const set = Object.fromEntries(fields.filter(([, value]) => value !== null));
  await SourceModel.updateOne(
    { organizationId, _id: id },
    {
      $set: { ...set, updatedAt: new Date() },
      $inc: { revision: 1 },
      ...(taken.length > 0 && { $unset: Object.fromEntries(taken) }),
    },
    { session: tx },
  );
  const after = await read();
  if (!after) throw new Error(`Feedback source ${id} was changed and is gone.`);
  const changes = differencesOf(recordOf(before), recordOf(after));
  // Told of no project if it has another one now: for those who are limited to that, the one that it came from does not exist.
  const { projectId: _, ...unplaced } = after;
  const told = 'projectId' in changes ? unplaced : after;
  if (Object.keys(changes).length > 0) tellOf(scope, told, 'source.updated', { changes });
  return recordOf(after);
}

export async function removeSource(scope: TellingScope, id: string): Promise<boolean> {
  const { caller, tx } = scope;
  const { organizationId } = caller;
  const source = await SourceModel.findOne({ organizationId, _id: id, ...ofCaller(caller) }, null, {
    session: tx,
  }).lean();
  if (!source) return false;
  await SourceModel.deleteOne({ organizationId, _id: id }, { session: tx });
  await DeletedSourceModel.create([{ _id: id, organizationId, deletedAt: new Date() }], { session: tx });
  const { name, revision = 0, projectId } = source;
  tellOf(scope, { _id: id, revision: revision + 1, ...(projectId && { projectId }) }, 'source.deleted', { name });
  return true;
}

export interface Expiring {
  readonly organizationId: string;
  readonly sourceId: string;
  /** What was created in between is to be erased, both ends excluded. */
  readonly after: Date;
  readonly before: Date;
}

/** The sources, across all organizations, whose items expire at some age, and those that no longer exist. */
export async function expiringSources(now: Date): Promise<Expiring[]> {
  const kept = await SourceModel.find(
    { retentionDays: mongoose.trusted({ $gt: 0 }) },
    { organizationId: 1, retentionDays: 1, erasedBefore: 1 },
  ).lean();
  const deleted = await DeletedSourceModel.find({ deletedAt: mongoose.trusted({ $lt: now }) }).lean();
  return [
    ...kept.map(({ _id, organizationId, retentionDays = 0, erasedBefore }) => {
      const before = new Date(now.getTime() - retentionDays * DAY_MS);
      // That of a clock that was ahead says nothing of what has come since. And what was created at that very moment is not erased yet.
      const after = erasedBefore && erasedBefore < before ? new Date(erasedBefore.getTime() - 1) : EVER;
      return { organizationId, sourceId: _id, after, before };
    }),
    ...deleted.map(({ _id, organizationId }) => ({ organizationId, sourceId: _id, after: EVER, before: now })),
  ];
}

/** Of these those that their source keeps no longer, and those whose source is gone: no pass looks for them any more. */
export async function expiredOf<
  Item extends { readonly organizationId: string; readonly sourceId: string; readonly createdAt: Date },
>(items: readonly Item[], now: Date): Promise<Item[]> {
  if (items.length === 0) return [];
  const [_id, organizationId] = [
    oneOf(items.map((item) => item.sourceId)),
    oneOf(items.map((item) => item.organizationId)),
  ];
  const sources = await SourceModel.find({ _id, organizationId }, { retentionDays: 1 }).lean();
  const keptMs = new Map(
    sources.map(({ _id, retentionDays = Number.POSITIVE_INFINITY }) => [_id, retentionDays * DAY_MS]),
  );
  return items.filter(({ sourceId, createdAt }) => now.getTime() - createdAt.getTime() >= (keptMs.get(sourceId) ?? 0));
}

/** After the pass over a source, which may be deleted by now. */
export async function noteErased({ organizationId, sourceId, before }: Expiring): Promise<void> {
  await SourceModel.updateOne({ organizationId, _id: sourceId }, { $set: { erasedBefore: before } });
}

/** For sources deleted so long ago that nothing can arrive for them any more. */
export async function forgetDeletedSources(deletedBefore: Date): Promise<void> {
  await DeletedSourceModel.deleteMany({ deletedAt: mongoose.trusted({ $lt: deletedBefore }) });
}

/** The enabled sources with these public keys, by public key. */
export async function enabledSources(publicKeys: readonly string[]): Promise<Map<string, AdmittedSource>> {
  // Disabled ones are left out here: a condition beyond the index would make some databases scan the collection.
  const enabled = [...(await sourcesWith(publicKeys)).values()].filter((document) => document.enabled);
  const quotas = await quotasOf(enabled.map(({ organizationId }) => organizationId));
  return new Map(
    enabled.map((document) => [document.publicKey, admittedOf(document, quotas.get(document.organizationId))]),
  );
}

/** The sources with these public keys, by public key. */
export async function sourcesWith(publicKeys: readonly string[]): Promise<Map<string, SourceDocument>> {
  const documents = await SourceModel.find({ publicKey: oneOf(publicKeys) }).lean();
  return new Map(documents.map((document) => [document.publicKey, document]));
}

function admittedOf(
  { _id, createdAt, updatedAt, enabled, retentionDays, erasedBefore, revision, ...rest }: SourceDocument,
  feedbackPerDay: number | undefined,
): AdmittedSource {
  return { id: _id, ...rest, ...(feedbackPerDay !== undefined && { feedbackPerDay }) };
}

function recordOf({ _id, erasedBefore, revision, createdAt, updatedAt, ...rest }: SourceDocument): Source {
  return { id: _id, ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
