import type { Organization } from '@worktrack/contracts/keys/records';
import type { TransactionalScope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { type OrganizationDocument, OrganizationModel } from './organizations.model.ts';

export async function insertOrganization({ tx }: Pick<TransactionalScope, 'tx'>, name: string): Promise<Organization> {
  const document: OrganizationDocument = { _id: uuidv7(), name, ownersRevision: 0, createdAt: new Date() };
  await OrganizationModel.create([document], { session: tx });
  return recordOf(document);
}

/**
 * Makes this transaction conflict with every other that reduces the organization's active owners: of two concurrent ones, one runs again on
 * the other's result. Otherwise each would count the owner that the other is removing.
 */
export async function lockOwners({ caller, tx }: TransactionalScope): Promise<void> {
  await OrganizationModel.updateOne({ _id: caller.organizationId }, { $inc: { ownersRevision: 1 } }, { session: tx });
}

export async function organizationsById(ids: readonly string[]): Promise<Map<string, Organization>> {
  const found = await OrganizationModel.find({ _id: mongoose.trusted({ $in: ids }) }).lean();
  return new Map(found.map((document) => [document._id, recordOf(document)]));
}

function recordOf(document: OrganizationDocument): Organization {
  return { id: document._id, name: document.name, createdAt: document.createdAt.toISOString() };
}
