import {
  type Attachment,
  attachmentUrl,
  MAX_ATTACHMENT_METADATA_BYTES,
} from '@worktrack/contracts/attachments/attachment';
import mongoose from 'mongoose';
import type { Scope, WriteScope } from '../calls/scope.ts';
import { AttachmentModel, type AttachmentRecord } from './attachments.model.ts';

export type NewAttachment = Omit<AttachmentRecord, 'organizationId'>;

export type NamedAttachment = Pick<AttachmentRecord, '_id' | 'fileName' | 'contentId'>;

/** Oldest first. */
export async function attachmentsOf({ caller, tx }: Scope, workItemId: string): Promise<NamedAttachment[]> {
  const { organizationId } = caller;
  return AttachmentModel.find(
    { organizationId, workItemId },
    { fileName: 1, contentId: 1 },
    { sort: { _id: 1 }, session: tx },
  ).lean();
}

/** Oldest first, starting after `after`. */
export async function pageOfAttachments(
  { caller: { organizationId } }: Scope,
  workItemId: string,
  after: string | undefined,
  limit: number,
): Promise<AttachmentRecord[]> {
  const from = after === undefined ? {} : { _id: mongoose.trusted({ $gt: after }) };
  return AttachmentModel.find({ organizationId, workItemId, ...from })
    .sort({ _id: 1 })
    .limit(limit)
    .lean();
}

export async function attachmentNamed(
  { caller: { organizationId }, tx }: Scope,
  workItemId: string,
  fileName: string,
): Promise<AttachmentRecord | null> {
  return AttachmentModel.findOne({ organizationId, workItemId, fileName }, null, { session: tx }).lean();
}

export function insertAttachment({ caller, writes }: WriteScope, attachment: NewAttachment): void {
  writes.insert(AttachmentModel, { ...attachment, organizationId: caller.organizationId });
}

/** @returns what was removed, so that its content can be released */
export async function removeAttachment(
  scope: WriteScope,
  workItemId: string,
  id: string,
): Promise<NamedAttachment | null> {
  const attachment = (await attachmentsOf(scope, workItemId)).find(({ _id }) => _id === id);
  if (!attachment) return null;
  const { organizationId } = scope.caller;
  const { _id, fileName } = attachment;
  scope.writes.remove(AttachmentModel, { organizationId, workItemId, fileName, _id });
  return attachment;
}

/** @returns what was removed, so that its content can be released */
export async function removeAttachmentsOf(scope: WriteScope, workItemId: string): Promise<NamedAttachment[]> {
  const removed = await attachmentsOf(scope, workItemId);
  if (removed.length === 0) return [];
  const { organizationId } = scope.caller;
  scope.writes.removeMany(AttachmentModel, { organizationId, workItemId });
  return removed;
}

/** As lists show it: without metadata stored before its size was limited, which could overflow a list. */
export function toListed(record: AttachmentRecord): Attachment {
  const attachment = toAttachment(record);
  const isTooLarge = Buffer.byteLength(JSON.stringify(record.metadata)) > MAX_ATTACHMENT_METADATA_BYTES;
  return isTooLarge ? { ...attachment, metadata: {} } : attachment;
}

export function toAttachment(record: NewAttachment): Attachment {
  const { _id, workItemId, fileName, mimeType, sizeBytes, sha256, uploadedBy, metadata, createdAt } = record;
  return {
    id: _id,
    fileName,
    mimeType,
    size: sizeBytes,
    sha256,
    url: attachmentUrl(workItemId, fileName),
    uploadedBy,
    metadata,
    createdAt: createdAt.toISOString(),
  };
}
