import { isUtf8 } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import {
  MAX_IMAGE_BYTES,
  MAX_TEXT_BYTES,
  type readAttachmentByTool as operation,
} from '@worktrack/contracts/attachments/read-by-tool';
import type { Composition } from './composition.ts';

/** Those that models take in (https://modelcontextprotocol.io/specification, image content). */
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** A character is cut off at the end by at most this much. */
const MAX_CHARACTER_BYTES = 4;

/** Never more than a model can take in, whatever the size of the file. */
export const readAttachmentByTool: Composition<typeof operation> = async (input, { clients, options, fail }) => {
  const { workItemId, fileName } = input;
  const asked = { workItemId, key: fileName, range: `bytes=0-${MAX_IMAGE_BYTES - 1}` };
  const { output, bytes } = await clients.workitems.download('attachments.read', asked, options);
  const { mimeType, size: sizeBytes } = output.attachment;
  const content = await buffer(bytes);
  const shown = { fileName: output.attachment.fileName, mimeType, sizeBytes };
  if (IMAGES.has(mimeType)) {
    if (sizeBytes > MAX_IMAGE_BYTES) {
      throw fail(
        'PAYLOAD_TOO_LARGE',
        `${fileName} has ${sizeBytes} bytes; an image of up to ${MAX_IMAGE_BYTES} can be read.`,
      );
    }
    return { output: { ...shown, image: { data: content.toString('base64'), mimeType } }, replayed: false };
  }
  const text = textOf(content.subarray(0, MAX_TEXT_BYTES));
  if (text === undefined) {
    throw fail(
      'VALIDATION_FAILED',
      `fileName: ${fileName} (${mimeType}) is neither text nor an image (PNG, JPEG, GIF, WebP).`,
      {
        details: [{ path: 'fileName', message: 'is neither text nor an image (PNG, JPEG, GIF, WebP)' }],
      },
    );
  }
  return { output: { ...shown, text, shownBytes: Buffer.byteLength(text) }, replayed: false };
};

/** undefined: not UTF-8, or with what no text contains. */
function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  for (let cut = 0; cut < MAX_CHARACTER_BYTES; cut++) {
    const whole = bytes.subarray(0, bytes.length - cut);
    if (isUtf8(whole)) return whole.toString('utf8');
  }
  return undefined;
}
