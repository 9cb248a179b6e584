import type { Operation, Output, RawInput, RestRoute } from '@worktrack/contracts/operation';
import { compareClocks } from '../clock.ts';
import { errorOf, isRecord, ServiceError, waitMsOf } from './service-error.ts';

// Only types are imported from the contracts: zod would make up most of the console.

const TIMEOUT_MS = 30_000;
/** Between attempts of a write that got no answer. Its key makes sure that it takes effect once. */
const REPEAT_AFTER_MS = [300, 1_000, 3_000];

export interface CallOptions {
  /** The version that was read: a CONFLICT if somebody was faster. */
  readonly version?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** Sent although the page is closed meanwhile. */
  readonly keepalive?: boolean;
}

/** What the last write to an address said, and its key, if nobody knows whether it has taken effect. Said again, by a person, it does once all the same. */
const unanswered = new Map<string, { readonly said: string; readonly key: string }>();

/** Notified when the session has ended, or may not do what was offered. */
let refused = (_isOver: boolean): void => {};
export function onRefused(listener: typeof refused): void {
  refused = listener;
}

/** Notified when a write waits to be sent again as the service has asked for. */
let waiting = (_error: ServiceError): void => {};
export function onWaiting(listener: typeof waiting): void {
  waiting = listener;
}

/**
 * Calls an operation of the API by its route, `call<typeof getWorkItem>('GET /api/work-items/:id', { id })`: input and output have the types of its
 * contract. The session's cookie identifies the caller.
 */
export async function call<Op extends Operation>(
  route: RestRoute,
  input: RawInput<Op>,
  { version, signal, timeoutMs = TIMEOUT_MS, keepalive = false }: CallOptions = {},
): Promise<Output<Op>> {
  const [method, path] = route.split(' ') as [string, string];
  const fields = new Map(Object.entries(input as Record<string, unknown>));
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(fields.get(name));
    fields.delete(name);
    return encodeURIComponent(value);
  });
  const inQuery = method === 'GET' || method === 'DELETE';
  const headers: Record<string, string> = { accept: 'application/json' };
  if (!inQuery) headers['content-type'] = 'application/json';
  if (version !== undefined) headers['if-match'] = `"${version}"`;
  return send(filled + (inQuery ? queryOf(fields) : ''), {
    method,
    headers,
    signal: signal ?? null,
    timeoutMs,
    keepalive,
    ...(!inQuery && { body: JSON.stringify(Object.fromEntries(fields)) }),
  });
}

/** Sends a request that is not an operation, such as a form with a file. Throws only ServiceError, except for an abort. */
export async function send<T>(
  url: string,
  init: RequestInit & { readonly method: string; readonly timeoutMs?: number },
): Promise<T> {
  if (init.method === 'GET') return attempt(url, init);
  // Of a file, it does not say which.
  const said = init.body instanceof FormData ? crypto.randomUUID() : JSON.stringify(init);
  const earlier = unanswered.get(url);
  const key = earlier?.said === said ? earlier.key : crypto.randomUUID();
  const headers = { ...(init.headers as Record<string, string>), 'idempotency-key': key };
  for (let attempts = 0; ; attempts++) {
    try {
      const answer = await attempt<T>(url, { ...init, headers });
      unanswered.delete(url);
      return answer;
    } catch (error) {
      if (error instanceof ServiceError && error.isTransient) unanswered.set(url, { said, key });
      else unanswered.delete(url);
      const pauseMs = REPEAT_AFTER_MS[attempts];
      if (!isWorthRepeating(error) || pauseMs === undefined || init.signal?.aborted) throw error;
      const waitMs = waitMsOf(error, pauseMs);
      if (waitMs === undefined) throw error;
      if (waitMs > pauseMs) waiting(error);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

/** Without being told when, what was refused for its rate would only be refused again. */
function isWorthRepeating(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
  const { code, retryAfterSeconds } = error;
  return code === 'NETWORK' || code === 'UNAVAILABLE' || (code === 'RATE_LIMITED' && retryAfterSeconds !== undefined);
}

async function attempt<T>(
  url: string,
  { timeoutMs = TIMEOUT_MS, ...init }: RequestInit & { timeoutMs?: number },
): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let body: unknown;
  try {
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    response = await fetch(url, { ...init, signal, credentials: 'same-origin', cache: 'no-store' });
    compareClocks(response.headers.get('date'));
    body = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ServiceError({
      code: 'NETWORK',
      message: `No answer (${error instanceof Error ? error.message : error}).`,
      status: 0,
    });
  }
  if (response.status === 204) return undefined as T;
  if (response.ok && isRecord(body) && body.success === true) return body.data as T;
  const error = await errorOf(response, body);
  if (error.code === 'API_KEY_MISSING' || error.code === 'API_KEY_INVALID') refused(true);
  if (error.code === 'PERMISSION_DENIED') refused(false);
  throw error;
}

function queryOf(fields: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of fields) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== '') query.append(name, String(one));
    }
  }
  const text = query.toString();
  return text && `?${text}`;
}
