import { z } from 'zod';
import { ItemRef } from '../fields.ts';
import { operation } from '../operation.ts';
import { MAX_FILE_NAME_LENGTH } from './operations.ts';

/** What a model can take in at once; an image of this size is a large screenshot. */
export const MAX_TEXT_BYTES = 38_000;
export const MAX_IMAGE_BYTES = 2 * 1024 * 1024;

/** Handled by the gateway, for agents that have tools and no HTTP. */
export const readAttachmentByTool = operation({
  name: 'attachments.readByTool',
  summary: 'Read an attachment: text or image.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({ workItemId: ItemRef, fileName: z.string().min(1).max(MAX_FILE_NAME_LENGTH) }),
  output: z.object({
    fileName: z.string(),
    mimeType: z.string(),
    sizeBytes: z.int(),
    text: z.string().optional(),
    /** How much of it the text is, from its beginning. */
    shownBytes: z.int().optional(),
    /** What it was read as, where that is not UTF-8. */
    encoding: z.string().optional(),
    /** A tool shows it as an image. */
    image: z.object({ data: z.string(), mimeType: z.string() }).optional(),
  }),
  errors: ['NOT_FOUND', 'PAYLOAD_TOO_LARGE'],
  example: {
    input: { workItemId: 'W-T-14', fileName: 'build.log' },
    output: { fileName: 'build.log', mimeType: 'text/plain', sizeBytes: 10, text: 'It failed.', shownBytes: 10 },
  },
  mcp: { tool: 'read_work_item_attachment', title: 'Read attachment', image: 'image' },
});
