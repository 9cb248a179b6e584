import { z } from 'zod';
import { RecordId, Timestamp } from '../fields.ts';
import { MetadataInput } from '../metadata.ts';

export const MAX_ATTACHMENT_BYTES = 25 * 1024 * 1024;
/** As JSON, in UTF-8. Per attachment: an item's attachments are listed together. */
export const MAX_ATTACHMENT_METADATA_BYTES = 16 * 1024;

export const AttachmentMetadata = MetadataInput.refine(
  (value) => new TextEncoder().encode(JSON.stringify(value)).length <= MAX_ATTACHMENT_METADATA_BYTES,
  `must have at most ${MAX_ATTACHMENT_METADATA_BYTES / 1024} KiB as JSON`,
);

export const Attachment = z.object({
  id: RecordId,
  fileName: z.string(),
  mimeType: z.string(),
  /** Bytes. */
  size: z.int(),
  /** Of the content, in hex. */
  sha256: z.string(),
  /** A path of this service, for GET with the same key. */
  url: z.string(),
  uploadedBy: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  createdAt: Timestamp,
});
export type Attachment = z.infer<typeof Attachment>;

export function attachmentUrl(workItemId: string, fileName: string): string {
  return `/api/work-items/${workItemId}/attachments/local?key=${encodeURIComponent(fileName)}`;
}

/** A media type in RFC 6838 form, without parameters: it is sent as a header. */
export const MimeType = z
  .string()
  .max(127)
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9!#$&^_.+-]*\/[a-zA-Z0-9][a-zA-Z0-9!#$&^_.+-]*$/,
    'must be a MIME type such as image/png',
  )
  .transform((value) => value.toLowerCase());
