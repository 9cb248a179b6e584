import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nothingHere } from '../http/methods.ts';
import { sendFile } from '../http/static-file.ts';
import { ASSETS, type ConsoleFiles } from './files.ts';

const BASE = '/console/';

/**
 * Nothing from elsewhere, no inline script or style, and no HTML from text except through DOMPurify's policy. `blob:` is what a person is about to attach.
 * A worker shows what is pushed; the page names no other (console/src/notifications/push.ts). A frame shows the preview of the widget (widget/demo/preview.ts), which has a policy of its own.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify worker',
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** The console: its page at every one of its paths except those of its files. It is public, since it contains nothing; what it shows comes from the API. */
export function registerConsole(app: FastifyInstance, { page, assets }: ConsoleFiles): void {
  const send = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const [path = ''] = request.url.split('?', 1);
    // To a single address for the console, so that relative addresses resolve to `/console/`.
    if (!path.startsWith(BASE)) return reply.redirect(BASE, 302);
    const name = path.slice(BASE.length);
    reply.headers(HEADERS);
    const file = assets.get(name);
    // Possibly from an earlier version. The page in its place would not be a script.
    if (!file && name.startsWith(ASSETS)) throw nothingHere();
    return sendFile(file ?? page, request, reply);
  };
  app.get('/', send);
  app.get('/console', send);
  app.get('/console/*', send);
}
