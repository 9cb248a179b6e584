import type { ErrorCode, ErrorDetail, Reason } from '@worktrack/contracts/errors';
import { laterTexts } from '../language/later-texts.ts';
import type { Sentence } from './refusals.ts';

/** A refusal in the service's own words, or the lack of an answer. */
export class ServiceError extends Error {
  /** `NETWORK`: no answer, so it is unknown whether the service has acted. `UNEXPECTED`: not an answer by this service. */
  readonly code: ErrorCode | 'NETWORK' | 'UNEXPECTED';
  /** What it is about, where the code alone does not say it. */
  readonly reason: Reason | undefined;
  /** 0 if there was no answer. */
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  /** The current record, with a CONFLICT over a stale version. */
  readonly current: unknown;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The same in the language of the page, as it is then (refusals.ts). */
  sentence: (fault?: string) => Sentence | undefined = () => undefined;

  constructor(failure: Pick<ServiceError, 'code' | 'message' | 'status'> & Partial<ServiceError>) {
    super(failure.message);
    this.name = 'ServiceError';
    this.code = failure.code;
    this.reason = failure.reason;
    this.status = failure.status;
    this.details = failure.details ?? [];
    this.current = failure.current;
    this.requestId = failure.requestId;
    this.retryAfterSeconds = failure.retryAfterSeconds;
  }

  /** The same request may succeed in a moment. */
  get isTransient(): boolean {
    return ['NETWORK', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RATE_LIMITED'].includes(this.code);
  }
}

/** The longest that the page waits by itself, as the service asks; beyond, it is for people to say when. */
const LONGEST_WAIT_MS = 10_000;

/** How long to wait before the same is asked again, if the service does not say. @returns undefined: it is not worth it */
export function waitMsOf(error: unknown, elseMs: number): number | undefined {
  if (!(error instanceof ServiceError && error.isTransient)) return undefined;
  const askedMs = (error.retryAfterSeconds ?? 0) * 1_000;
  return askedMs > LONGEST_WAIT_MS ? undefined : Math.max(askedMs, elseMs);
}

/** A refusal, once what is said of it is loaded: only those who meet one need that. */
export async function refusal(failure: ConstructorParameters<typeof ServiceError>[0]): Promise<ServiceError> {
  const error = new ServiceError(failure);
  // Without it, the service's own words are left.
  const loading = error.isTransient ? [] : ([import('./refusals.ts'), laterTexts().catch(() => {})] as const);
  const [refusals] = await Promise.all(loading).catch(() => []);
  if (refusals) error.sentence = (fault) => refusals.sentenceFor(error, fault);
  return error;
}

/** The record as it is, where another change of it came first. */
export const currentOf = <T>(error: unknown): T | undefined =>
  error instanceof ServiceError ? (error.current as T | undefined) : undefined;

/** There is nothing of this name, or never will be: an address that was cut off has none that could be. */
export const isGone = (error: unknown): boolean =>
  error instanceof ServiceError && (error.code === 'NOT_FOUND' || error.code === 'VALIDATION_FAILED');

export function errorOf(response: Response, body: unknown): Promise<ServiceError> {
  const { status } = response;
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const seconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  return refusal({
    // A proxy in front of the service answers in its own format.
    code: typeof error.code === 'string' ? (error.code as ErrorCode) : codeOf(status),
    message: typeof error.message === 'string' ? error.message : `${response.url} answered with ${status}.`,
    reason: typeof error.reason === 'string' ? (error.reason as Reason) : undefined,
    status,
    details: Array.isArray(error.details) ? error.details : [],
    current: error.current,
    requestId: typeof error.requestId === 'string' ? error.requestId : undefined,
    retryAfterSeconds: seconds >= 0 ? seconds : undefined,
  });
}

function codeOf(status: number): ServiceError['code'] {
  if (status === 429) return 'RATE_LIMITED';
  if (status === 413) return 'PAYLOAD_TOO_LARGE';
  return status >= 500 ? 'UNAVAILABLE' : 'UNEXPECTED';
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
