import type { Caller } from '@worktrack/contracts/caller';
import type { ErrorValue } from '@worktrack/contracts/errors';
import type { RequestSigner } from './signature.ts';
import { signedJson, signedMessage, verifiedJson } from './signed.ts';

/**
 * The content of a message, in short arrays: a message has up to 64 items, and each byte of their frame is written and parsed for every call.
 *
 * - request  { c: client, t: sentAtMs, p: [ caller … ], i: [ [id, remainingMs, attempt, caller's index, [operation, requestId, idempotencyKey, traceparent, input], secret] … ], x: [ id … ] }
 * - reply    { r: [ [id, status, output, error or what was lost] … ] }
 *
 * `p` holds each caller once, `null` among them: a caller is more than half of a small call, and calls that leave together often have the same caller.
 * Only writes have a `secret`, which is random, the same each time the call is sent, and known only to its client. By it a service recognises the call, and not
 * just its key.
 * `x`, if present, lists earlier calls that nobody waits for any more. `sentAtMs` is the client's monotonic clock, only comparable with other readings of that
 * clock (see clock.ts).
 */
export interface RequestItem {
  readonly id: number;
  /** What the caller had left when the message was sent. */
  readonly remainingMs: number;
  /** 1 the first time. */
  readonly attempt: number;
  /** Null for internal operations. Shared by the items of a message. */
  readonly caller: Caller | null;
  readonly body: CallBody;
  readonly secret: string | undefined;
}
export type CallBody = readonly [
  operation: string,
  requestId: string,
  idempotencyKey: string | null,
  traceparent: string | null,
  input: unknown,
];

/** What does not change when a call is sent again, in JSON. */
export interface CallText {
  readonly caller: string;
  readonly body: string;
  readonly secret: string | undefined;
}

export interface OutgoingItem extends Pick<RequestItem, 'id' | 'remainingMs' | 'attempt'> {
  readonly call: CallText;
}

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
  /** Of no call, but of all that were sent to the queue before it was found unused: `LostBefore`. */
  lost: 4,
} as const;
export type ReplyStatus = (typeof ReplyStatus)[keyof typeof ReplyStatus];

export interface ReplyItem {
  readonly id: number;
  readonly status: ReplyStatus;
  readonly payload: unknown;
}

/** A queue, and how long ago it was found unused. */
export type LostBefore = readonly [queue: string, agoMs: number];

/** Throws on an input that JSON cannot represent. */
export function callText(caller: Caller | null, secret: string | undefined, ...body: CallBody): CallText {
  return { caller: JSON.stringify(caller), body: JSON.stringify(body), secret };
}

export function encodeRequests(
  signer: RequestSigner,
  client: string,
  sentAtMs: number,
  items: readonly OutgoingItem[],
  abandoned: readonly number[] = [],
): Buffer {
  const callers = new Map<string, number>();
  const texts = items.map(({ id, remainingMs, attempt, call }) => {
    const index = callers.get(call.caller) ?? callers.size;
    if (index === callers.size) callers.set(call.caller, index);
    const secret = call.secret === undefined ? '' : `,${JSON.stringify(call.secret)}`;
    return `[${id},${Math.ceil(remainingMs)},${attempt},${index},${call.body}${secret}]`;
  });
  const gone = abandoned.length === 0 ? '' : `,"x":[${abandoned.join(',')}]`;
  const head = `"c":${JSON.stringify(client)},"t":${Math.round(sentAtMs)},"p":[${[...callers.keys()].join(',')}]`;
  return signedMessage(signer, `{${head},"i":[${texts.join(',')}]${gone}}`);
}

export function replyItem(id: number, status: ReplyStatus, payload: string): string {
  return `[${id},${status},${payload}]`;
}

export function failedItem(id: number, error: ErrorValue): string {
  return replyItem(id, ReplyStatus.failed, JSON.stringify(error));
}

/** No call has its id. */
export function lostItem(...lost: LostBefore): string {
  return replyItem(0, ReplyStatus.lost, JSON.stringify(lost));
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
  const message = json as Record<'c' | 't' | 'p' | 'i' | 'x', unknown>;
  const { c: client, t: sentAtMs, p: callers, i: items, x: abandoned = [] } = message;
  if (
    typeof client !== 'string' ||
    typeof sentAtMs !== 'number' ||
    !Array.isArray(callers) ||
    !Array.isArray(items) ||
    !Array.isArray(abandoned)
  ) {
    throw new Error('not a request message');
  }
  for (const caller of callers) if (caller !== null && !isCaller(caller)) throw new Error('a wrong caller');
  return { client, sentAtMs, items: items.map((item) => readItem(item, callers)), abandoned };
}

/** @param callers of the message, verified */
function readItem(item: unknown, callers: readonly (Caller | null)[]): RequestItem {
  if (!Array.isArray(item)) throw new Error('an item that is not an array');
  const [id, remainingMs, attempt, callerIndex, body, secret] = item;
  if (!Number.isSafeInteger(id) || !Number.isFinite(remainingMs) || !Number.isSafeInteger(attempt)) {
    throw new Error('an item without id, remaining time or attempt');
  }
  const caller = Number.isSafeInteger(callerIndex) ? callers[callerIndex] : undefined;
  if (caller === undefined) throw new Error('an item whose caller is missing');
  if (!Array.isArray(body) || body.length !== 5) throw new Error('an item without a body');
  const [operation, requestId, idempotencyKey, traceparent] = body;
  if (typeof operation !== 'string' || typeof requestId !== 'string')
    throw new Error('an item without operation or id');
  if (!isStringOrNull(idempotencyKey) || !isStringOrNull(traceparent)) throw new Error('an item with a wrong key');
  if (secret !== undefined && typeof secret !== 'string') throw new Error('an item with a wrong secret');
  return { id, remainingMs, attempt, caller, body: body as unknown as CallBody, secret };
}

const isStringOrNull = (value: unknown) => value === null || typeof value === 'string';

const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string');

const isNamed = (people: unknown) =>
  Array.isArray(people) && people.every((each) => isTexts([each?.id, each?.name, each?.as]));

/** Repositories put these ids into queries: nothing but a string may pass for one. */
function isCaller(value: Partial<Record<keyof Caller, unknown>>): boolean {
  return (
    typeof value === 'object' &&
    typeof value.organizationId === 'string' &&
    typeof value.userId === 'string' &&
    typeof value.keyId === 'string' &&
    Array.isArray(value.permissions) &&
    (value.projects === undefined || isTexts(value.projects)) &&
    (value.people === undefined || isNamed(value.people)) &&
    (value.sessionProjectId === undefined || typeof value.sessionProjectId === 'string')
  );
}

/** Throws on anything that is not a reply. */
export function readReplies(json: unknown): readonly ReplyItem[] {
  const items = (json as { r?: unknown }).r;
  if (!Array.isArray(items)) throw new Error('not a reply message');
  return items.map(([id, status, payload]) => ({ id, status, payload }));
}
