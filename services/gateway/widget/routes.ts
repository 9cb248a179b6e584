import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { registerDemo } from './demo/routes.ts';
import { chooseEncoding } from './encoding.ts';
import type { WidgetFile, WidgetFiles } from './files.ts';

/**
 * What a page of any origin may load: the script, its solver and languages, and the hashes that pin them.
 * The files are public and the same for everybody, so every page may read them (`crossorigin` and `integrity` need that).
 */
export function registerWidgetRoutes(app: FastifyInstance, files: WidgetFiles, publicUrl?: string): void {
  for (const [path, file] of files.byPath) {
    app.get(path, (request, reply) => sendFile(file, request, reply));
  }
  app.get('/widget/manifest.json', (_request, reply) =>
    reply.headers({ ...FOR_ANY_ORIGIN, 'cache-control': 'no-cache' }).send(files.manifest),
  );
  registerDemo(app, files, publicUrl);
}

const FOR_ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
} as const;

function sendFile(file: WidgetFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ ...FOR_ANY_ORIGIN, etag: file.etag, 'cache-control': file.cacheControl, vary: 'Accept-Encoding' });
  if (isKnown(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(file.type).send(file.bodies[encoding]);
}

/** RFC 9110, 13.1.2: compared weakly; `*` is any. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((known) => known.trim() === '*' || known.trim() === etag);
}
