import { ERRORS, type ErrorCode, type ErrorValue, OperationError } from '@worktrack/contracts/errors';
import type { Log } from '@worktrack/rpc/types';
import { traceOf } from '@worktrack/runtime/process/logging';
import type { Span } from '@worktrack/runtime/tracing/types';

/** All that is revealed of unexpected errors: the rest is in the log under the request id. */
const INTERNAL: ErrorValue = {
  code: 'INTERNAL',
  message: 'The service failed unexpectedly. Try again; if it keeps failing, report the request id.',
};

const FORBIDDEN = 403;
export const NO_SUCH_PATH: ErrorValue = {
  code: 'NOT_FOUND',
  // Below a known path, only this distinguishes an unknown address from a missing record.
  reason: 'no_route',
  message: 'There is nothing at this path. GET /openapi.json describes everything there is.',
};

/** Fastify's own refusals, by error code. */
const BY_FASTIFY: Readonly<Record<string, (limitBytes: number) => ErrorValue>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => ({
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'Send the body as JSON, with Content-Type: application/json.',
  }),
  FST_ERR_CTP_BODY_TOO_LARGE: (limitBytes) => ({
    code: 'PAYLOAD_TOO_LARGE',
    message: `The body must be at most ${limitBytes} bytes.`,
  }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => ({
    code: 'VALIDATION_FAILED',
    message: 'Content-Length does not match the length of the body.',
  }),
  FST_ERR_MAX_PARAM_LENGTH: () => ({
    code: 'VALIDATION_FAILED',
    message: 'A part of the path has more than 100 characters, as no id has: check the id in it.',
  }),
  FST_ERR_BAD_URL: () => ({ code: 'VALIDATION_FAILED', message: 'The path is not well-formed percent-encoding.' }),
};

/** Converts anything thrown into an error of the contract. Whatever clients must not know is logged with its cause. */
export function failureOf(
  thrown: unknown,
  context: {
    readonly log: Log;
    readonly requestId: string;
    readonly bodyLimitBytes: number;
    readonly span?: Span | undefined;
  },
): ErrorValue {
  if (thrown instanceof OperationError) {
    const value = thrown.toValue();
    // A service that returns INTERNAL has logged the cause; its message is already ours.
    return ERRORS[value.code] ? value : INTERNAL;
  }
  const { code, statusCode } = (thrown ?? {}) as { readonly code?: unknown; readonly statusCode?: unknown };
  const answer = typeof code === 'string' ? BY_FASTIFY[code] : undefined;
  if (answer) return answer(context.bodyLimitBytes);
  // From the file server, for a path that would leave its folder: permissions are ours, and a refusal names the missing one.
  if (statusCode === FORBIDDEN) return NO_SUCH_PATH;
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return {
      code: codeOfStatus(statusCode),
      message: 'The request could not be read. Send it again, complete and well-formed.',
    };
  }
  context.log.error({ error: thrown, requestId: context.requestId, ...traceOf(context.span) }, 'A request failed');
  return INTERNAL;
}

function codeOfStatus(status: number): ErrorCode {
  const found = (Object.keys(ERRORS) as ErrorCode[]).find((code) => ERRORS[code].status === status);
  return found ?? 'VALIDATION_FAILED';
}
