import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../http/envelope.ts';
import { openApiDocument } from './document.ts';

const ASSETS: ReadonlySet<string> = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js', '/favicon-32x32.png']);
const ASSET_MAX_AGE_MS = 3_600_000;

/** Nothing from other origins, and no inline script. Swagger UI sets `style` attributes, and loads its icons from `data:` URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = (file: string) => readFileSync(new URL(`./page/${file}`, import.meta.url), 'utf8');

/** `GET /openapi.json`, and `GET /docs`: the page to read it and try it out. */
export async function registerDocumentation(app: FastifyInstance, serverUrl: string | undefined): Promise<void> {
  const text = JSON.stringify(openApiDocument(serverUrl));
  app.get('/openapi.json', async (_request, reply) => reply.header('content-type', JSON_TYPE).send(text));

  const html = page('docs.html');
  const parts = { js: page('docs.js'), css: page('docs.css') };
  app.get('/docs', async (_request, reply) =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('referrer-policy', 'no-referrer')
      .send(html),
  );
  app.get('/docs/docs.js', async (_request, reply) =>
    reply.header('content-type', 'text/javascript; charset=utf-8').send(parts.js),
  );
  app.get('/docs/docs.css', async (_request, reply) =>
    reply.header('content-type', 'text/css; charset=utf-8').send(parts.css),
  );
  await app.register(fastifyStatic, {
    root: dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')),
    prefix: '/docs/',
    decorateReply: false,
    index: false,
    maxAge: ASSET_MAX_AGE_MS,
    allowedPath: (path) => ASSETS.has(path),
  });
}
