import { z } from 'zod';
import { exampleAttachment, ids } from '../examples.ts';
import { Id, ItemRef, oneLine, RecordId } from '../fields.ts';
import { operation } from '../operation.ts';
import { warnings } from '../warnings.ts';
import { Attachment, AttachmentMetadata, MimeType } from './attachment.ts';

export const MAX_FILE_NAME_LENGTH = 1_000;
/** Silence between two chunks after which an upload or download is abandoned. */
const CHUNK_DEADLINE_MS = 15_000;

/** Of one item. A claim names them all, and a review reads them all. */
export const MAX_ATTACHMENTS = 1_000;
export const MAX_ATTACHMENTS_LISTED = 500;

const FileName = z.string().min(1).max(MAX_FILE_NAME_LENGTH);
const UploaderLabel = oneLine(200);

export const listAttachments = operation({
  name: 'attachments.list',
  summary:
    'List the attachments of a work item, oldest first. If there are many, repeat with `after` until the result is empty.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    workItemId: ItemRef,
    limit: z.int().min(1).max(MAX_ATTACHMENTS_LISTED).default(MAX_ATTACHMENTS_LISTED),
    /** The id of the last attachment on the previous page. A page may be shorter than `limit`, because its bytes are bounded too. */
    after: Id.optional(),
  }),
  output: z.array(Attachment),
  errors: ['NOT_FOUND'],
  example: { input: { workItemId: 'W-T-14' }, output: [exampleAttachment] },
  rest: 'GET /api/work-items/:workItemId/attachments',
});

export const addAttachment = operation({
  name: 'attachments.add',
  summary: 'Attach a file (multipart/form-data: uploadedBy, mimeType and metadata before file; at most 25 MiB).',
  permissions: ['work-items:write'],
  effect: 'create',
  input: z.strictObject({
    workItemId: ItemRef,
    fileName: FileName,
    mimeType: MimeType.optional(),
    uploadedBy: UploaderLabel.optional(),
    metadata: AttachmentMetadata.optional(),
  }),
  output: Attachment,
  errors: ['NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE'],
  example: {
    input: { workItemId: 'W-T-14', fileName: 'dark.png', uploadedBy: 'agent 3', metadata: { page: 'checkout' } },
    output: exampleAttachment,
  },
  rest: 'POST /api/work-items/:workItemId/attachments',
  bytes: 'up',
  deadlineMs: CHUNK_DEADLINE_MS,
});

/** What `attachments.add` returned, for a repetition after the local file was deleted. Neither a route nor a tool. */
export const addedBefore = operation({
  name: 'attachments.addedBefore',
  summary: 'The result of an earlier upload with this idempotency key.',
  permissions: ['work-items:write'],
  effect: 'read',
  input: z.strictObject({ idempotencyKey: z.string(), upload: addAttachment.input }),
  output: Attachment.nullable(),
  errors: [],
});

/** Both ends inclusive, as in the Range header. */
export const ByteRange = z.strictObject({ start: z.int().min(0), end: z.int().min(0) });

export const readAttachment = operation({
  name: 'attachments.read',
  summary: 'Read the content of an attachment by its file name; one byte range may be requested.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    workItemId: ItemRef,
    key: FileName,
    /** As in the header: which bytes it means depends on the size, which the service knows. */
    range: z.string().max(200).optional(),
    /** The validator of If-Range: if the content differs, the range is ignored. */
    ifRange: z.string().max(200).optional(),
    /** The validators of If-None-Match: if the content matches one, no bytes are sent. */
    ifNoneMatch: z.string().max(2_000).optional(),
  }),
  output: z.object({
    attachment: Attachment,
    /** `null` if the range lies outside the content, or the caller already has the content. */
    sent: ByteRange.nullable(),
    outcome: z.enum(['whole', 'part', 'unsatisfiable', 'unchanged']),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: { workItemId: 'W-T-14', key: 'dark.png' },
    output: { attachment: exampleAttachment, sent: { start: 0, end: 48_212 }, outcome: 'whole' },
  },
  rest: 'GET /api/work-items/:workItemId/attachments/local',
  bytes: 'down',
  deadlineMs: CHUNK_DEADLINE_MS,
});

export const deleteAttachment = operation({
  name: 'attachments.delete',
  summary: 'Delete an attachment permanently.',
  permissions: ['work-items:write'],
  effect: 'delete',
  input: z.strictObject({ workItemId: ItemRef, attachmentId: Id }),
  output: z.object({ deleted: z.literal(true), id: RecordId }),
  errors: ['NOT_FOUND'],
  example: {
    input: { workItemId: 'W-T-14', attachmentId: ids.attachment },
    output: { deleted: true, id: ids.attachment },
  },
  rest: 'DELETE /api/work-items/:workItemId/attachments/:attachmentId',
});

const MAX_PATH_LENGTH = 4_096;

/** Handled by whoever can access the file: the stdio bridge, or a gateway that is allowed to read its own disk. */
export const uploadLocalFile = operation({
  name: 'attachments.uploadLocalFile',
  summary: 'Attach a local file, from /tmp/ or the working directory only.',
  permissions: ['work-items:write'],
  effect: 'create',
  input: z.strictObject({
    workItemId: ItemRef,
    filePath: z.string().min(1).max(MAX_PATH_LENGTH),
    fileName: FileName.optional(),
    mimeType: MimeType.optional(),
    uploadedBy: UploaderLabel.optional(),
    metadata: AttachmentMetadata.optional(),
    /** Default: in the system's temporary folders. */
    deleteAfterUpload: z.boolean().optional(),
  }),
  output: z.object({ attachment: Attachment, deletedLocalFile: z.boolean(), ...warnings }),
  errors: ['NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE'],
  example: {
    input: { workItemId: 'W-T-14', filePath: '/tmp/dark.png', uploadedBy: 'agent 3', metadata: { page: 'checkout' } },
    output: { attachment: exampleAttachment, deletedLocalFile: true },
  },
  mcp: {
    tool: 'upload_work_item_attachment',
    unlisted: ['uploadedBy', 'metadata'],
    title: 'Upload attachment',
    description: 'Afterwards a temporary file is deleted, any other only with deleteAfterUpload true.',
    openWorld: true,
    destructive: true,
  },
});
