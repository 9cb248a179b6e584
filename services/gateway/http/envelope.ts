import { ERRORS, type ErrorValue } from '@worktrack/contracts/errors';
import type { FastifyRequest } from 'fastify';
import { inRoutes } from '../other-operations.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body of a failure on a route whose clients expect something other than REST's. */
    readonly failureBody?: (error: ErrorValue, requestId: string) => string;
    /** What a failure on it has for headers besides those of all. */
    readonly failureHeaders?: (error: ErrorValue, request: FastifyRequest) => Record<string, string>;
  }
}

/** How long a client should wait by default before retrying a request that found a component unavailable. */
const DEFAULT_RETRY_AFTER_SECONDS = 1;

export const JSON_TYPE = 'application/json; charset=utf-8';

/** `{ success: true, data }` as text: the response is serialized once, in the fastest way available. */
export function successBody(data: unknown): string {
  return `{"success":true,"data":${JSON.stringify(data)}}`;
}

export function failureBody(error: ErrorValue, requestId: string): string {
  const { code, reason, current, oldestSeq } = error;
  const message = inRoutes(error.message);
  const details = error.details?.map((detail) => ({ ...detail, message: inRoutes(detail.message) }));
  return JSON.stringify({ success: false, error: { code, reason, message, details, current, oldestSeq, requestId } });
}

export function statusOf(error: ErrorValue): number {
  return ERRORS[error.code].status;
}

/** The headers that accompany an error's body. */
export function failureHeaders(error: ErrorValue): Record<string, string> {
  const headers: Record<string, string> = {};
  if (error.code === 'API_KEY_MISSING' || error.code === 'API_KEY_INVALID') {
    headers['www-authenticate'] = 'Bearer realm="worktrack"';
  }
  const retryAfterSeconds =
    error.retryAfterSeconds ??
    (error.code === 'UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED' ? DEFAULT_RETRY_AFTER_SECONDS : undefined);
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds)));
  return headers;
}
