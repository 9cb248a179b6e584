import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  MAX_IMAGE_BYTES,
  MAX_TEXT_BYTES,
  type readAttachmentByTool as operation,
} from '@worktrack/contracts/attachments/read-by-tool';
import type { Composition } from './composition.ts';
import { textOf } from './text-of.ts';

/** Those that models take in (https://modelcontextprotocol.io/specification, image content). */
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Never more than a model can take in, whatever the size of the file. */
export const readAttachmentByTool: Composition<typeof operation> = async (input, { clients, options, fail }) => {
  const { workItemId, fileName } = input;
  const asked = { workItemId, key: fileName };
  const { output, bytes } = await clients.workitems.download('attachments.read', asked, options);
  const { mimeType, size: sizeBytes } = output.attachment;
  const shown = { fileName: output.attachment.fileName, mimeType, sizeBytes };
  if (IMAGES.has(mimeType)) {
    if (sizeBytes > MAX_IMAGE_BYTES) {
      bytes.destroy();
      throw fail(
        'PAYLOAD_TOO_LARGE',
        `${fileName} has ${sizeBytes} bytes; an image of up to ${MAX_IMAGE_BYTES} can be read.`,
      );
    }
    return {
      output: { ...shown, image: { data: (await buffer(bytes)).toString('base64'), mimeType } },
      replayed: false,
    };
  }
  const read = textOf(await firstOf(bytes, MAX_TEXT_BYTES), MAX_TEXT_BYTES);
  if (!read) {
    throw fail(
      'VALIDATION_FAILED',
      `fileName: ${fileName} (${mimeType}) is neither text nor an image (PNG, JPEG, GIF, WebP).`,
      {
        details: [{ path: 'fileName', message: 'is neither text nor an image (PNG, JPEG, GIF, WebP)' }],
      },
    );
  }
  const { text, shownBytes, encoding } = read;
  const said = encoding === 'utf-8' ? {} : { encoding };
  return { output: { ...shown, text, shownBytes, ...said }, replayed: false };
};

/** Ends the stream once it has enough. */
async function firstOf(bytes: Readable, count: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= count) break;
  }
  return Buffer.concat(chunks).subarray(0, count);
}
