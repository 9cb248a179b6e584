import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { OperationError } from '@worktrack/contracts/errors';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { failureBody, JSON_TYPE } from './envelope.ts';
import { NO_SUCH_PATH } from './failure.ts';
import { requestIdOf } from './request-id.ts';

/** Those that some route uses. HEAD comes with every GET. */
const METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface KnownPath {
  readonly pattern: RegExp;
  readonly allow: string;
}

/**
 * Responds to methods that a path lacks with 405 and `Allow` (RFC 9110, 15.5.6), to OPTIONS with `Allow`, and to unknown paths with 404. It does so before a
 * byte of the body is read. Fastify routes only some methods, so TRACE, QUERY, PROPFIND and all others that Node lets through arrive here as if their path did
 * not exist.
 * @returns a function to call once all routes are registered
 */
export function answerOtherMethods(app: FastifyInstance): () => void {
  const routes = new Map<string, Set<string>>();
  const paths: KnownPath[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const methods = routes.get(url) ?? new Set<string>();
    for (const one of [method].flat()) methods.add(one);
    routes.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...routes]) {
      if (url === '*') continue;
      const allow = [...methods].filter((method) => method !== 'OPTIONS').join(', ');
      paths.push({ pattern: patternOf(url), allow });
      if (url.endsWith('/*')) continue;
      const others = METHODS.filter((method) => !methods.has(method));
      app.route({
        url,
        method: others,
        exposeHeadRoute: false,
        onRequest: (request, reply, done) => {
          reply.header('allow', allow);
          done(notAllowed(allow, request.method));
        },
        handler: () => {},
      });
      if (!methods.has('OPTIONS')) {
        app.options(url, (_request, reply) => reply.code(204).header('allow', allow).send());
      }
    }
    // Like the router: literal paths before those with placeholders, and wildcards last.
    paths.sort((one, other) => generality(one.pattern) - generality(other.pattern));

    app.addHook('onRequest', (request, reply, done) => {
      if (!request.is404) return done();
      const allow = allowedAt(request.url);
      if (allow === undefined) return done(nothingHere());
      reply.header('allow', allow);
      done(notAllowed(allow, request.method));
    });
    app.server.on('connect', answerConnect);
  };

  function allowedAt(url: string): string | undefined {
    const [path = ''] = url.split('?', 1);
    return paths.find(({ pattern }) => pattern.test(decoded(path)))?.allow;
  }

  /** CONNECT asks for a tunnel, not for a path. Node hands over the bare connection. */
  function answerConnect(request: IncomingMessage, socket: Duplex): void {
    const allow = allowedAt(request.url ?? '') ?? METHODS.join(', ');
    const requestId = requestIdOf(request);
    const body = failureBody(notAllowed(allow, 'CONNECT').toValue(), requestId);
    socket.on('error', () => socket.destroy());
    socket.end(
      `HTTP/1.1 405 Method Not Allowed\r\nAllow: ${allow}\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
}

function notAllowed(allow: string, method: string): OperationError {
  return new OperationError('METHOD_NOT_ALLOWED', `Use ${allow}; ${method} is not supported here.`);
}

export function nothingHere(): OperationError {
  return OperationError.from(NO_SUCH_PATH);
}

function patternOf(url: string): RegExp {
  const steps = url.split('/').map((step) => {
    if (step.startsWith(':')) return '[^/]+';
    return step === '*' ? '.*' : step.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${steps.join('/')}$`);
}

function generality({ source }: RegExp): number {
  if (source.includes('.*')) return Number.MAX_SAFE_INTEGER;
  return source.split('[^').length;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
