import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorValue, OperationError } from '@worktrack/contracts/errors';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { FastifyInstance } from 'fastify';
import { failureBody, JSON_TYPE } from './envelope.ts';
import { requestIdOf } from './request-id.ts';

/**
 * Refuses, in the envelope, what Node refuses without a body: HTTP/1.1 without `Host`, and expectations other than 100-continue. And what Node does not: several `Host`,
 * of which a proxy may have read another one (RFC 9112, 3.2).
 */
export function refuseWhatNodeWould(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { httpVersion, rawHeaders } }, _reply, done) => {
    const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host');
    if (hosts.length === 1 || (hosts.length === 0 && httpVersion === '1.0')) return done();
    done(
      new OperationError(
        'VALIDATION_FAILED',
        hosts.length === 0
          ? 'Send the header Host, which HTTP/1.1 requires.'
          : 'Send the header Host once: there are several.',
      ),
    );
  });
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const requestId = requestIdOf(request);
    const value: ErrorValue = { code: 'VALIDATION_FAILED', message: 'Expect: only 100-continue is supported.' };
    const body = failureBody(value, requestId);
    response.writeHead(417, {
      'content-type': JSON_TYPE,
      'content-length': Buffer.byteLength(body),
      'x-request-id': requestId,
    });
    response.end(body);
  });
}

/** Responds to input that is not valid enough HTTP to become a request: it never reaches a route or a hook. */
export function answerClientError(error: { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const { line, value } = described(error.code);
    const requestId = uuidv7();
    const body = failureBody(value, requestId);
    socket.write(
      `HTTP/1.1 ${line}\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}

function described(code: string | undefined): { line: string; value: ErrorValue } {
  const refused = (message: string): ErrorValue => ({ code: 'VALIDATION_FAILED', message });
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { line: '408 Request Timeout', value: refused('The request did not arrive in time. Send it again.') };
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return {
      line: '431 Request Header Fields Too Large',
      value: refused('The headers are too large. Send fewer or shorter ones.'),
    };
  }
  return { line: '400 Bad Request', value: refused('This is not a well-formed HTTP/1.1 request.') };
}
