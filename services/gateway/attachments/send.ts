import { Readable } from 'node:stream';
import type { readAttachment } from '@worktrack/contracts/attachments/operations';
import type { Output } from '@worktrack/contracts/operation';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failureBody, JSON_TYPE } from '../http/envelope.ts';
import { takenInTime } from './pace.ts';

/** Types that a browser may show inline: none of them can run a script in the service's origin. */
const SHOWN_IN_PLACE = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** Responds with the bytes of an attachment, or with whatever RFC 9110 prescribes instead. */
export function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  { attachment, outcome, sent }: Output<typeof readAttachment>,
  bytes: Readable,
): FastifyReply {
  reply.headers({
    etag: `"${attachment.sha256}"`,
    'accept-ranges': 'bytes',
    'last-modified': new Date(attachment.createdAt).toUTCString(),
    'cache-control': 'private, no-cache',
  });
  if (outcome === 'unchanged' || outcome === 'unsatisfiable' || !sent) {
    bytes.destroy();
    if (outcome === 'unchanged') return reply.code(304).send();
    const message = `The range lies outside the file's ${attachment.size} bytes.`;
    return reply
      .code(416)
      .headers({ 'content-range': `bytes */${attachment.size}`, 'content-type': JSON_TYPE })
      .send(failureBody({ code: 'VALIDATION_FAILED', message, details: [{ path: 'Range', message }] }, request.id));
  }
  const lengthBytes = attachment.size === 0 ? 0 : sent.end - sent.start + 1;
  reply.headers({
    'content-type': attachment.mimeType,
    'content-length': lengthBytes,
    'content-disposition': contentDisposition(attachment.fileName, {
      type: SHOWN_IN_PLACE.has(attachment.mimeType) ? 'inline' : 'attachment',
    }),
    // Whatever the file is, in a browser it can run nothing and reach nothing.
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
  });
  if (outcome === 'part') reply.code(206).header('content-range', `bytes ${sent.start}-${sent.end}/${attachment.size}`);
  if (request.method === 'HEAD') {
    bytes.destroy();
    // A stream, so that the length stays as set above.
    return reply.send(Readable.from([]));
  }
  const paced = Readable.from(
    takenInTime(bytes, (error) => paced.destroy(error)),
    { objectMode: false, highWaterMark: bytes.readableHighWaterMark },
  );
  // Destroyed before it was read at all, it does not end the iteration.
  paced.once('close', () => bytes.destroy());
  return reply.send(paced);
}
