import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, type Encoding } from './encoding.ts';

/** For a file whose name identifies its exact content. */
export const PINNED = 'public, max-age=31536000, immutable';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** One file, kept in memory, ready to be sent. */
export interface StaticFile {
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
  readonly bodies: Readonly<Record<Encoding, Buffer>>;
}

export function staticFile(name: string, content: Buffer, cacheControl: string): StaticFile {
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    // Weak: the same for all encodings of the same content.
    etag: `W/"${digestOf(content)}"`,
    cacheControl,
    bodies: { br: brotliCompressSync(content), gzip: gzipSync(content, { level: 9 }), identity: content },
  };
}

/** The first 12 hexadecimal digits of the SHA-384. */
export function digestOf(content: Buffer): string {
  return createHash('sha384').update(content).digest('hex').slice(0, 12);
}

export function sendFile(file: StaticFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ etag: file.etag, 'cache-control': file.cacheControl, vary: 'Accept-Encoding' });
  if (isKnown(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(file.type).send(file.bodies[encoding]);
}

/** RFC 9110, 13.1.2: compared weakly; `*` matches anything. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((known) => known.trim() === '*' || known.trim() === etag);
}
