import type { Socket } from 'node:net';
import type { ErrorValue } from '@worktrack/contracts/errors';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { failureBody, JSON_TYPE } from './envelope.ts';

/** Responds to input that is not valid enough HTTP to become a request: it never reaches a route or a hook. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
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
