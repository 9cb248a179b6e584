import type { Organization } from '@worktrack/contracts/keys/records';
import { oneOf } from '@worktrack/runtime/database/one-of';
import type { TransactionalScope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { type OrganizationDocument, OrganizationModel } from './organizations.model.ts';

export async function insertOrganization({ tx }: Pick<TransactionalScope, 'tx'>, name: string): Promise<Organization> {
  const document: OrganizationDocument = { _id: uuidv7(), name, createdAt: new Date() };
  await OrganizationModel.create([document], { session: tx });
  return recordOf(document);
}

export async function organizationsById(ids: readonly string[]): Promise<Map<string, Organization>> {
  const found = await OrganizationModel.find({ _id: oneOf(ids) }).lean();
  return new Map(found.map((document) => [document._id, recordOf(document)]));
}

/** Whether what belongs to no organization can only be meant for this one. */
export async function isOnlyOrganization(id: string): Promise<boolean> {
  const others = [{ $lt: id }, { $gt: id }].map((_id) => OrganizationModel.exists({ _id: mongoose.trusted(_id) }));
  return (await Promise.all(others)).every((other) => !other);
}

function recordOf(document: OrganizationDocument): Organization {
  return { id: document._id, name: document.name, createdAt: document.createdAt.toISOString() };
}
