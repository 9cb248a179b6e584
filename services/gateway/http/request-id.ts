import type { IncomingMessage } from 'node:http';
import { uuidv7 } from '@worktrack/runtime/uuid';

/** What is echoed goes into headers and logs, so it is printable ASCII without spaces, and short. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** The caller's `X-Request-Id` when it is fit to be repeated, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : uuidv7();
}
