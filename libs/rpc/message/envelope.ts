import type { Caller } from '@worktrack/contracts/caller';
import type { ErrorValue } from '@worktrack/contracts/errors';
import type { RequestSigner } from './signature.ts';
import { signedJson, signedMessage, verifiedJson } from './signed.ts';

/**
 * What a message says, in short arrays: a message has up to 64 items, and each byte of their frame is written and parsed for every call.
 *
 *   request  { c: client, t: sentAtMs, i: [ [id, remainingMs, attempt, [operation, requestId, idempotencyKey, traceparent, caller, input]] … ], x: [ id … ] }
 *   reply    { r: [ [id, status, output or error] … ] }
 *
 * `x`, if present, lists earlier calls that nobody waits for any more. `sentAtMs` is the client's monotonic clock, only comparable with other readings of that clock (see clock.ts).
 */
export interface RequestItem {
  readonly id: number;
  /** What the caller had left when the message was sent. */
  readonly remainingMs: number;
  /** 1 the first time. */
  readonly attempt: number;
  readonly body: CallBody;
}
export type CallBody = readonly [
  operation: string,
  requestId: string,
  idempotencyKey: string | null,
  traceparent: string | null,
  caller: Caller | null,
  input: unknown,
];

export interface RequestMessage {
  readonly client: string;
  readonly sentAtMs: number;
  readonly items: readonly RequestItem[];
  /** Ids of earlier calls that nobody waits for any more. */
  readonly abandoned: readonly number[];
}

export const ReplyStatus = {
  ok: 0,
  /** Like ok: the answer of an earlier call with the same idempotency key. */
  replayed: 1,
  failed: 2,
  /** Dropped unrun: the server estimated that the deadline had passed. */
  expired: 3,
} as const;
export type ReplyStatus = (typeof ReplyStatus)[keyof typeof ReplyStatus];

export interface ReplyItem {
  readonly id: number;
  readonly status: ReplyStatus;
  readonly payload: unknown;
}

/** What does not change when a call is sent again. Throws on an input that JSON cannot represent. */
export function callBody(...body: CallBody): string {
  return JSON.stringify(body);
}

export function requestItem(id: number, remainingMs: number, attempt: number, body: string): string {
  return `[${id},${Math.ceil(remainingMs)},${attempt},${body}]`;
}

/** @param items as made by requestItem */
export function encodeRequests(
  signer: RequestSigner,
  client: string,
  sentAtMs: number,
  items: readonly string[],
  abandoned: readonly number[] = [],
): Buffer {
  const gone = abandoned.length === 0 ? '' : `,"x":[${abandoned.join(',')}]`;
  const json = `{"c":${JSON.stringify(client)},"t":${Math.round(sentAtMs)},"i":[${items.join(',')}]${gone}}`;
  return signedMessage(signer, json);
}

export function replyItem(id: number, status: ReplyStatus, payload: string): string {
  return `[${id},${status},${payload}]`;
}

export function failedItem(id: number, error: ErrorValue): string {
  return replyItem(id, ReplyStatus.failed, JSON.stringify(error));
}

export function replyMessage(items: readonly string[]): string {
  return `{"r":[${items.join(',')}]}`;
}

/** Nothing in an unverified request is even parsed. Throws UnverifiedMessage, or on anything that is not a request. */
export function verifiedRequests(signer: RequestSigner, content: Buffer): RequestMessage {
  return requestsOf(verifiedJson(signer, content));
}

/** For a request from a trusted place: one of our own that the broker returned. Throws on anything that is not a request. */
export function readRequests(content: Buffer): RequestMessage {
  return requestsOf(signedJson(content));
}

function requestsOf(json: unknown): RequestMessage {
  const { c: client, t: sentAtMs, i: items, x: abandoned = [] } = json as Record<'c' | 't' | 'i' | 'x', unknown>;
  if (
    typeof client !== 'string' ||
    typeof sentAtMs !== 'number' ||
    !Array.isArray(items) ||
    !Array.isArray(abandoned)
  ) {
    throw new Error('not a request message');
  }
  return { client, sentAtMs, items: items.map(readItem), abandoned };
}

function readItem(item: unknown): RequestItem {
  if (!Array.isArray(item)) throw new Error('an item that is no array');
  const [id, remainingMs, attempt, body] = item;
  if (!Number.isSafeInteger(id) || !Number.isFinite(remainingMs) || !Number.isSafeInteger(attempt)) {
    throw new Error('an item without id, remaining time or attempt');
  }
  if (!Array.isArray(body) || body.length !== 6) throw new Error('an item without a body');
  const [operation, requestId, idempotencyKey, traceparent, caller] = body;
  if (typeof operation !== 'string' || typeof requestId !== 'string')
    throw new Error('an item without operation or id');
  if (!isStringOrNull(idempotencyKey) || !isStringOrNull(traceparent)) throw new Error('an item with a wrong key');
  if (caller !== null && !isCaller(caller)) throw new Error('an item with a wrong caller');
  return { id, remainingMs, attempt, body: body as unknown as CallBody };
}

const isStringOrNull = (value: unknown) => value === null || typeof value === 'string';

/** Repositories put these ids into queries: nothing but a string may pass for one. */
function isCaller(value: Partial<Record<keyof Caller, unknown>>): boolean {
  return (
    typeof value === 'object' &&
    typeof value.organizationId === 'string' &&
    typeof value.userId === 'string' &&
    typeof value.keyId === 'string' &&
    Array.isArray(value.permissions) &&
    (value.sessionProjectId === undefined || typeof value.sessionProjectId === 'string')
  );
}

/** Throws on anything that is not a reply. */
export function readReplies(json: unknown): readonly ReplyItem[] {
  const items = (json as { r?: unknown }).r;
  if (!Array.isArray(items)) throw new Error('not a reply message');
  return items.map(([id, status, payload]) => ({ id, status, payload }));
}
