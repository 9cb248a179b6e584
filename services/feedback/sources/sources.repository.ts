import type { AdmittedSource } from '@worktrack/contracts/feedback/intake';
import type { Source } from '@worktrack/contracts/feedback/records';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose, { type ClientSession } from 'mongoose';
import { type SourceDocument, SourceModel } from './sources.model.ts';

type Settings = Omit<SourceDocument, '_id' | 'organizationId' | 'createdAt' | 'updatedAt'>;
/** `rateLimit: null` takes the source's own limits away. */
export type SourceChange = Partial<Omit<Settings, 'publicKey' | 'rateLimit'>> & {
  rateLimit?: SourceDocument['rateLimit'] | null;
};

export async function insertSource(organizationId: string, settings: Settings, tx: ClientSession): Promise<Source> {
  const now = new Date();
  const document: SourceDocument = { ...settings, _id: uuidv7(), organizationId, createdAt: now, updatedAt: now };
  await SourceModel.create([document], { session: tx });
  return recordOf(document);
}

export async function countSources(organizationId: string, tx: ClientSession): Promise<number> {
  return SourceModel.countDocuments({ organizationId }).session(tx);
}

/** Newest first. */
export async function sourcesOf(organizationId: string): Promise<Source[]> {
  return (await SourceModel.find({ organizationId }).sort({ _id: -1 }).lean()).map(recordOf);
}

export async function sourceById(organizationId: string, id: string, tx?: ClientSession): Promise<Source | undefined> {
  const document = await SourceModel.findOne({ organizationId, _id: id })
    .session(tx ?? null)
    .lean();
  return document ? recordOf(document) : undefined;
}

export async function changeSource(
  organizationId: string,
  id: string,
  { rateLimit, ...change }: SourceChange,
  tx: ClientSession,
): Promise<void> {
  const set = { ...change, ...(rateLimit ? { rateLimit } : {}), updatedAt: new Date() };
  await SourceModel.updateOne(
    { organizationId, _id: id },
    { $set: set, ...(rateLimit === null ? { $unset: { rateLimit: 1 } } : {}) },
    { session: tx },
  );
}

export async function removeSource(organizationId: string, id: string, tx: ClientSession): Promise<boolean> {
  const { deletedCount } = await SourceModel.deleteOne({ organizationId, _id: id }, { session: tx });
  return deletedCount === 1;
}

/** The enabled sources of these public keys, by public key. */
export async function enabledSources(publicKeys: readonly string[]): Promise<Map<string, AdmittedSource>> {
  // Disabled ones are left out here: a condition beyond the index would make some databases scan the collection.
  const documents = await SourceModel.find({ publicKey: mongoose.trusted({ $in: [...new Set(publicKeys)] }) }).lean();
  const enabled = documents.filter((document) => document.enabled);
  return new Map(enabled.map((document) => [document.publicKey, admittedOf(document)]));
}

function admittedOf({ _id, createdAt, updatedAt, enabled, ...rest }: SourceDocument): AdmittedSource {
  return { id: _id, ...rest };
}

function recordOf({ _id, createdAt, updatedAt, ...rest }: SourceDocument): Source {
  return { id: _id, ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
