import type { ErrorCode, ErrorDetail } from '@worktrack/contracts/errors';
import type { Accepted, Bootstrap, CaptchaChallenge, Ingested } from '@worktrack/contracts/feedback/public-api';
import type { Category } from '@worktrack/contracts/feedback/records';

// Only types are imported from the contracts: zod would make up most of the script.

export const CATEGORIES = [
  'bug',
  'feature_request',
  'improvement',
  'question',
  'praise',
  'other',
] as const satisfies readonly Category[];

/** What is sent if the person has not chosen one: since nobody gave that answer, it is not shown. */
export const DEFAULT_CATEGORY: Category = 'other';

/** The longest message in code points, as the server counts. */
export const MAX_MESSAGE_LENGTH = 5000;
const MAX_PAGE_URL_LENGTH = 2048;
const REQUEST_TIMEOUT_MS = 15_000;

/** A refusal, as the server words it for developers, or a failure before there was an answer. */
export interface Failure {
  /** `NETWORK`: no answer, so it is unknown whether the server has acted. `UNEXPECTED`: not an answer by this service. */
  readonly code: ErrorCode | 'NETWORK' | 'UNEXPECTED';
  readonly message: string;
  /** 0 if there was no answer. */
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
}

export class ServiceError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'ServiceError';
    this.failure = failure;
  }
}

export interface Submission {
  readonly message: string;
  readonly category: Category;
  readonly email?: string;
  readonly pageUrl?: string;
  readonly locale: string;
}

/** The public feedback API, as seen from the page's origin. Every method throws only ServiceError. */
export class Service {
  readonly #baseUrl: string;
  readonly #publicKey: string;

  constructor(baseUrl: string, publicKey: string) {
    this.#baseUrl = baseUrl;
    this.#publicKey = publicKey;
  }

  bootstrap(): Promise<Bootstrap> {
    return this.#call('bootstrap', `feedback/widget/bootstrap?publicKey=${encodeURIComponent(this.#publicKey)}`);
  }

  challenge(): Promise<CaptchaChallenge> {
    return this.#call('challenge', `feedback/widget/challenge?publicKey=${encodeURIComponent(this.#publicKey)}`);
  }

  ingest(
    submission: Submission,
    proof: { readonly token: string; readonly captchaToken: string | undefined },
    idempotencyKey: string,
  ): Promise<Ingested | Accepted> {
    return this.#call('ingest', 'feedback/ingest', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
      body: JSON.stringify({ publicKey: this.#publicKey, ...submission, ...proof }),
    });
  }

  async #call<T>(name: string, path: string, init?: RequestInit): Promise<T> {
    const url = this.#baseUrl + path;
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(url, {
        ...init,
        credentials: 'omit',
        cache: 'no-store',
        // Without an Origin header (a GET of the same origin) the server uses the Referer, which a page may have switched off.
        referrerPolicy: 'strict-origin-when-cross-origin',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      body = await response.json().catch(() => undefined);
    } catch (error) {
      const message = `No answer from ${url} (${error instanceof Error ? error.message : error}).`;
      throw new ServiceError({ code: 'NETWORK', message, status: 0, details: [] });
    }
    if (response.ok && isRecord(body) && body.success === true) return body.data as T;
    throw new ServiceError(failureOf(name, response, body));
  }
}

function failureOf(name: string, response: Response, body: unknown): Failure {
  const { status } = response;
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const retryAfterSeconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  return {
    // A proxy in front of the service answers in its own format.
    code: typeof error.code === 'string' ? (error.code as ErrorCode) : codeOf(status),
    message: typeof error.message === 'string' ? error.message : `The ${name} request was answered with ${status}.`,
    status,
    details: Array.isArray(error.details) ? error.details : [],
    ...(typeof error.requestId === 'string' && { requestId: error.requestId }),
    ...(retryAfterSeconds >= 0 && { retryAfterSeconds }),
  };
}

function codeOf(status: number): Failure['code'] {
  if (status === 429) return 'RATE_LIMITED';
  if (status === 413) return 'PAYLOAD_TOO_LARGE';
  return status >= 500 ? 'UNAVAILABLE' : 'UNEXPECTED';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The page's address as the server accepts it: http(s), at most 2048 characters; what does not fit loses its fragment, then its query. */
export function pageUrl(address: string): string | undefined {
  if (!/^https?:/.test(address)) return undefined;
  const [withoutFragment = ''] = address.split('#', 1);
  const [withoutQuery = ''] = withoutFragment.split('?', 1);
  return [address, withoutFragment, withoutQuery].find((candidate) => candidate.length <= MAX_PAGE_URL_LENGTH);
}

/** How long a message is in code points: an emoji is one character, not two. */
export function lengthOf(message: string): number {
  let length = 0;
  for (const _ of message) length++;
  return length;
}
