import { type ErrorCode, type ErrorValue, Refusal } from '@worktrack/contracts/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** RFC 6749, 5.2; RFC 8693, 2.2.2; RFC 7591, 3.2.2. */
export type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'
  | 'server_error';

/** Errors with the same text everywhere. */
const COMMON: Readonly<Partial<Record<OAuthError, string>>> = {
  temporarily_unavailable: 'This cannot be answered at the moment. Try again after Retry-After seconds.',
  server_error: 'The service failed unexpectedly. Try again; if it keeps failing, report the request id.',
};

export class OAuthFailure extends Refusal {
  readonly error: OAuthError;

  /** @param words always the same for the same kind: whoever tries to find something out learns nothing */
  constructor(error: OAuthError, words: string = COMMON[error] ?? '') {
    super(words);
    this.error = error;
  }
}

const RETRY_AFTER_SECONDS = 5;
const STATUS: Readonly<Partial<Record<OAuthError, number>>> = { invalid_client: 401, temporarily_unavailable: 503 };

/** @returns the body */
export function refuse({ error, message }: OAuthFailure, request: FastifyRequest, reply: FastifyReply): string {
  reply.code(STATUS[error] ?? 400);
  // Without credentials in the header it would make browsers ask for a password.
  if (error === 'invalid_client' && request.headers.authorization !== undefined) {
    reply.header('www-authenticate', 'Basic realm="worktrack"');
  }
  if (error === 'temporarily_unavailable') reply.header('retry-after', `${RETRY_AFTER_SECONDS}`);
  return bodyOf(error, message, request.id);
}

/** For failures before the route begins, or because of a part of the service. */
export function oauthFailureBody({ code, message }: ErrorValue, requestId: string): string {
  const error = errorOf(code);
  return bodyOf(error, COMMON[error] ?? message, requestId);
}

function errorOf(code: ErrorCode): OAuthError {
  if (code === 'INTERNAL') return 'server_error';
  const isLater = code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED' || code === 'RATE_LIMITED';
  return isLater ? 'temporarily_unavailable' : 'invalid_request';
}

function bodyOf(error: OAuthError, words: string, requestId: string): string {
  return JSON.stringify({ error, error_description: words, request_id: requestId });
}
