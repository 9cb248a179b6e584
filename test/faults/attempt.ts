import { randomUUID } from 'node:crypto';
import { callTool } from '../support/tool-call.ts';

/** Above the service's own deadline (10 s) plus what the way there and back takes on a loaded machine. */
const LATEST_ANSWER_MS = 20_000;
const GIVE_UP_MS = 180_000;
const PAUSE_MS = 100;

/** One attempt of one call, as a client saw it. */
export interface Attempt {
  readonly what: string;
  /** The same for all attempts of one call. */
  readonly idempotencyKey: string;
  readonly at: number;
  readonly durationMs: number;
  /** HTTP status; 0 if the connection broke, which only a killed gateway causes. */
  readonly status: number;
  readonly code: string;
  /** With this, the services' logs tell more. */
  readonly requestId: string;
}

export interface Acknowledged {
  readonly data: Record<string, unknown>;
}

interface Response {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: {
    readonly data?: Record<string, unknown>;
    readonly error?: { readonly code: string; readonly message: string };
  };
}

export type Send = (gateway: string, headers: Readonly<Record<string, string>>) => Promise<Response>;

/** What clients saw that they must never see. */
export class Violations {
  readonly list: { readonly what: string; readonly requestId: string | undefined }[] = [];
  /** @param requestId of the call, with which the services' logs tell more */
  add(what: string, requestId?: string): void {
    this.list.push({ what, requestId });
  }
}

/**
 * Makes a call as a client does that must never lose a step: again with the same idempotency key, on the other gateway, until it is acknowledged.
 * Whatever is not an acknowledgement must be a refusal that invites a retry: 503 with Retry-After, 504, or a broken connection.
 */
export async function untilAcknowledged(
  what: string,
  send: Send,
  gateways: readonly string[],
  attempts: Attempt[],
  violations: Violations,
): Promise<Acknowledged> {
  const idempotencyKey = randomUUID();
  const giveUpAt = Date.now() + GIVE_UP_MS;
  for (let turn = 0; Date.now() < giveUpAt; turn++) {
    const at = Date.now();
    const requestId = randomUUID();
    const headers = { 'idempotency-key': idempotencyKey, 'x-request-id': requestId };
    const response = await send(gateways[turn % gateways.length] as string, headers).catch(
      (error: unknown): Response => ({
        status: 0,
        retryAfter: null,
        body: { error: { code: error instanceof Error ? error.name : 'unknown', message: String(error) } },
      }),
    );
    const durationMs = Date.now() - at;
    const { status, body } = response;
    attempts.push({ what, idempotencyKey, at, durationMs, status, code: body.error?.code ?? 'ok', requestId });
    if (durationMs > LATEST_ANSWER_MS) violations.add(`${what}: ${status} only after ${durationMs} ms`, requestId);
    if (status >= 200 && status < 300 && body.data) return { data: body.data };
    if (status === 503 && !response.retryAfter) violations.add(`${what}: 503 without Retry-After`, requestId);
    // Recorded, and then retried all the same: the ledger has to continue.
    if (![0, 503, 504].includes(status))
      violations.add(`${what}: ${status} ${JSON.stringify(body).slice(0, 300)}`, requestId);
    // Waiting as Retry-After asks would hide how soon the service is back.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`${what} was not acknowledged within ${GIVE_UP_MS} ms.`);
}

/** A REST call. */
export function rest(method: string, path: string, apiKey: string | undefined, body: unknown): Send {
  return async (gateway, headers) => {
    const response = await fetch(`${gateway}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...headers,
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(LATEST_ANSWER_MS * 2),
    });
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: (await response.json()) as Response['body'],
    };
  };
}

const STATUS_OF_CODE: Readonly<Record<string, number>> = { UNAVAILABLE: 503, DEADLINE_EXCEEDED: 504 };

/** A tool call; its failure in the terms of REST. */
export function tool(name: string, apiKey: string, args: unknown): Send {
  return async (gateway, given) => {
    const { status, headers, output, error, isToolError } = await callTool(gateway, apiKey, name, args, {
      meta: { 'worktrack/idempotencyKey': given['idempotency-key'] },
      headers: { 'x-request-id': given['x-request-id'] as string },
      signal: AbortSignal.timeout(LATEST_ANSWER_MS * 2),
    });
    if (output) return { status: 200, retryAfter: null, body: { data: output } };
    if (isToolError && error)
      return { status: STATUS_OF_CODE[error.code] ?? 400, retryAfter: 'in words', body: { error } };
    // Refusals by the transport itself look as in REST.
    return { status, retryAfter: headers.get('retry-after'), body: error ? { error } : {} };
  };
}
