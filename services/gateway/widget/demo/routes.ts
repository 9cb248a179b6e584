import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { WidgetFiles } from '../files.ts';
import { type DemoQuery, demoPage } from './page.ts';
import { previewPage } from './preview.ts';

/**
 * The strictest policy with which a page can still embed the widget from its own origin; for another origin, replace `'self'` with it.
 * So the page proves what docs/widget.md says.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types worktrack-feedback',
].join('; ');

/** The console shows the preview in a frame. */
const PREVIEW_POLICY = POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'");

const asset = (name: string) => readFileSync(new URL(name, import.meta.url));

/** A page with the widget on it: try it, choose its appearance, and copy the tag. */
export function registerDemo(app: FastifyInstance, files: WidgetFiles, publicUrl: string | undefined): void {
  const styles = asset('demo.css');
  const script = asset('demo.js');
  app.get('/widget/demo.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(styles));
  app.get('/widget/demo.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(script));
  app.get<Asked>('/widget/demo', (request, reply) => {
    const query = queryOf(request);
    const baseUrl = publicUrl ?? `${request.protocol}://${request.host}`;
    const page = demoPage(query, baseUrl, files.manifest['widget.js']);
    return reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(page);
  });
  app.get<Asked>('/widget/preview', (request, reply) =>
    reply
      .header('content-security-policy', PREVIEW_POLICY)
      .type('text/html; charset=utf-8')
      .send(previewPage(queryOf(request))),
  );
}

interface Asked {
  Querystring: Record<string, string | string[] | undefined>;
}

function queryOf({ query }: { readonly query: Asked['Querystring'] }): DemoQuery {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}
