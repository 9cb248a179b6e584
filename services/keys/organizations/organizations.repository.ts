import type { Organization } from '@worktrack/contracts/keys/records';
import { uuidv7 } from '@worktrack/runtime/uuid';
import mongoose, { type ClientSession } from 'mongoose';
import { type OrganizationDocument, OrganizationModel } from './organizations.model.ts';

export async function insertOrganization(name: string, tx: ClientSession): Promise<Organization> {
  const document: OrganizationDocument = { _id: uuidv7(), name, ownersRevision: 0, createdAt: new Date() };
  await OrganizationModel.create([document], { session: tx });
  return recordOf(document);
}

/**
 * Takes the right to reduce the organization's active owners for the rest of the transaction. Of two transactions that do so at
 * once, one fails with a write conflict and runs again on what the other has left: without it, both would count the other's owner.
 */
export async function lockOwners(organizationId: string, tx: ClientSession): Promise<void> {
  await OrganizationModel.updateOne({ _id: organizationId }, { $inc: { ownersRevision: 1 } }, { session: tx });
}

export async function organizationsById(ids: readonly string[]): Promise<Map<string, Organization>> {
  const found = await OrganizationModel.find({ _id: mongoose.trusted({ $in: ids }) }).lean();
  return new Map(found.map((document) => [document._id, recordOf(document)]));
}

function recordOf(document: OrganizationDocument): Organization {
  return { id: document._id, name: document.name, createdAt: document.createdAt.toISOString() };
}
