/** Every error that the service answers: its HTTP status, and what it means in one line (for the reference documentation). */
export const ERRORS = {
  VALIDATION_FAILED: {
    status: 400,
    meaning: 'A field is missing, unknown or wrong; `details` names each by its path.',
  },
  CAPTCHA_REQUIRED: { status: 400, meaning: 'The source asks for a captcha and `captchaToken` is missing.' },
  CAPTCHA_INVALID: { status: 400, meaning: 'The captcha solution is wrong, expired or was used before.' },
  API_KEY_MISSING: { status: 401, meaning: 'There is no `Authorization: Bearer` header.' },
  API_KEY_INVALID: {
    status: 401,
    meaning: 'The key is unknown, malformed, revoked or expired, or the session of the console has ended.',
  },
  WIDGET_TOKEN_INVALID: { status: 401, meaning: 'The widget token was not issued for this source and origin.' },
  WIDGET_TOKEN_EXPIRED: { status: 401, meaning: 'The widget token is older than 15 minutes; bootstrap again.' },
  PERMISSION_DENIED: { status: 403, meaning: 'The key lacks the permission that the message names.' },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    meaning: 'The request came from an origin that is not allowed; the message names it.',
  },
  NOT_FOUND: { status: 404, meaning: 'There is nothing by this id in your organization.' },
  SOURCE_NOT_FOUND: { status: 404, meaning: 'There is no feedback source for this public key.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path exists, but not with this method; see `Allow`.' },
  DUPLICATE_FEEDBACK: { status: 409, meaning: 'The same feedback was submitted a short while ago.' },
  CONFLICT: { status: 409, meaning: 'The state has changed or does not allow this; the message says which.' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, meaning: 'This `Idempotency-Key` was used for another request.' },
  CURSOR_EXPIRED: {
    status: 410,
    meaning:
      'The log no longer has what follows `after`. `oldestSeq` is the oldest event it has: read the state anew and go on from there.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is larger than the limit that the message names.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body is not of the content type that the route takes.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests; `Retry-After` says when to come back.' },
  INTERNAL: { status: 500, meaning: 'A fault of the service; the log has it under the request id.' },
  UNAVAILABLE: { status: 503, meaning: 'A part of the service is unavailable; try again after `Retry-After` seconds.' },
  DEADLINE_EXCEEDED: {
    status: 504,
    meaning: 'The answer did not arrive in time; repeat with the same `Idempotency-Key`.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** What any operation may answer without declaring it. */
export const IMPLICIT_ERRORS = ['VALIDATION_FAILED', 'UNAVAILABLE'] as const satisfies readonly ErrorCode[];
export type ImplicitError = (typeof IMPLICIT_ERRORS)[number];

/** One field at fault: `path` in dotted form (`metadata.review.summary`, `ids.3`), `message` says what to change. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

export interface ErrorExtra {
  readonly details?: readonly ErrorDetail[];
  /** The record as it stands now, beside a CONFLICT on a stale `version`. */
  readonly current?: unknown;
  /** Beside a CURSOR_EXPIRED: the oldest event that the log has. */
  readonly oldestSeq?: number;
  readonly retryAfterSeconds?: number;
}

/** A failure as it travels in an RPC reply and in the `error` of an answer. */
export interface ErrorValue extends ErrorExtra {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * An error of the contract. Anything else that is thrown is answered as INTERNAL and logged with its cause.
 * It has no stack: it is an answer, not a fault, and to note where each was made took a twentieth of the time of refusing a request.
 */
export class OperationError extends Error {
  readonly code: ErrorCode;
  readonly extra: ErrorExtra;

  constructor(code: ErrorCode, message: string, extra: ErrorExtra = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'OperationError';
    this.code = code;
    this.extra = extra;
  }

  static from(value: ErrorValue): OperationError {
    const { code, message, ...extra } = value;
    return new OperationError(code, message, extra);
  }

  toValue(): ErrorValue {
    return { code: this.code, message: this.message, ...this.extra };
  }
}

/**
 * Makes the error that a handler throws: `throw context.fail('NOT_FOUND', '…')`.
 * Its type holds only the codes that the operation declares, and a rule that may fail with a code asks for a context that can:
 * `Fail<'NOT_FOUND' | 'CONFLICT'>` passes for `Fail<'NOT_FOUND'>`, never the other way round. So an undeclared error does not compile.
 */
export type Fail<Code extends ErrorCode> = (code: Code, message: string, extra?: ErrorExtra) => OperationError;
