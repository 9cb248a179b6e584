import type { FastifyInstance } from 'fastify';
import { sendFile } from '../http/static-file.ts';
import { registerDemo } from './demo/routes.ts';
import type { WidgetFiles } from './files.ts';

/**
 * What a page of any origin may load: the script, its solver and languages, and the hashes that pin them.
 * The files are public and the same for everybody, so every page may read them (`crossorigin` and `integrity` need that).
 */
export function registerWidgetRoutes(app: FastifyInstance, files: WidgetFiles, publicUrl?: string): void {
  for (const [path, file] of files.byPath) {
    app.get(path, (request, reply) => sendFile(file, request, reply.headers(FOR_ANY_ORIGIN)));
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
