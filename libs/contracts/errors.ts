/** Every error that the service returns: its HTTP status, and what it means in one line (for the reference documentation). */
export const ERRORS = {
  VALIDATION_FAILED: {
    status: 400,
    meaning: 'A field is missing, unknown or wrong; `details` names each by its path.',
  },
  CAPTCHA_REQUIRED: { status: 400, meaning: 'The source requires a captcha and `captchaToken` is missing.' },
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
  NOT_FOUND: { status: 404, meaning: 'Nothing in your organization has this id.' },
  SOURCE_NOT_FOUND: { status: 404, meaning: 'No feedback source has this public key.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path exists, but not with this method; see `Allow`.' },
  DUPLICATE_FEEDBACK: { status: 409, meaning: 'The same feedback was submitted shortly before.' },
  CONFLICT: { status: 409, meaning: 'The state has changed or does not allow this; the message says what is wrong.' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, meaning: 'This `Idempotency-Key` was used for another request.' },
  CURSOR_EXPIRED: {
    status: 410,
    meaning:
      'The log no longer has the events after `after`. `oldestSeq` is the oldest that it has: read the current state and continue from there.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is larger than the limit that the message names.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body does not have the content type that the route accepts.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests; `Retry-After` says when to try again.' },
  INTERNAL: { status: 500, meaning: 'A fault in the service; its log has the details under the request id.' },
  UNAVAILABLE: { status: 503, meaning: 'A part of the service is unavailable; try again after `Retry-After` seconds.' },
  DEADLINE_EXCEEDED: {
    status: 504,
    meaning: 'The answer did not arrive in time; repeat with the same `Idempotency-Key`.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** Errors that any operation may return without declaring them. */
export const IMPLICIT_ERRORS = ['VALIDATION_FAILED', 'UNAVAILABLE'] as const satisfies readonly ErrorCode[];
export type ImplicitError = (typeof IMPLICIT_ERRORS)[number];

/** One field at fault: `path` in dotted form (`metadata.review.summary`, `ids.3`), `message` says what to change. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** What a refusal is about where its code does not say it: for programs that tell people in words of their own. */
export const REASONS = [
  'taken',
  'limit',
  'not_empty',
  'default_board',
  'last_owner',
  'user_disabled',
  'beyond_own',
  'gate',
  'held',
  'not_due',
  'own_work',
  'nobody_asks',
  'asked_anew',
  'no_route',
] as const;
export type Reason = (typeof REASONS)[number];

export interface ErrorExtra {
  readonly reason?: Reason;
  readonly details?: readonly ErrorDetail[];
  /** The current record, with a CONFLICT over a stale `version`. */
  readonly current?: unknown;
  /** With CURSOR_EXPIRED: the oldest event that the log has. */
  readonly oldestSeq?: number;
  readonly retryAfterSeconds?: number;
}

/** A failure as it travels in an RPC reply and in the `error` of a response. */
export interface ErrorValue extends ErrorExtra {
  readonly code: ErrorCode;
  readonly message: string;
}

/** It has no stack: it is a response, not a fault, and capturing one took a twentieth of the time of refusing a request. */
export class Refusal extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** An error of the contract. Anything else that is thrown is returned as INTERNAL and logged with its cause. */
export class OperationError extends Refusal {
  readonly code: ErrorCode;
  readonly extra: ErrorExtra;

  constructor(code: ErrorCode, message: string, extra: ErrorExtra = {}) {
    super(message);
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
 * Makes the error that a handler throws: `throw context.fail('NOT_FOUND', '…')`. Its type has only the codes that the operation declares, and a rule that may
 * fail with a code requires a context that can. So `Fail<'NOT_FOUND' | 'CONFLICT'>` is assignable to `Fail<'NOT_FOUND'>`, never the other way round, and an
 * undeclared error does not compile.
 */
export type Fail<Code extends ErrorCode> = (code: Code, message: string, extra?: ErrorExtra) => OperationError;
