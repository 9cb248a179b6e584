import { randomFillSync } from 'node:crypto';

/** W3C Trace Context, level 1: https://www.w3.org/TR/trace-context/ */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** The version-traceid-parentid-flags. An id of zeros is none. */
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function isTraceparent(text: unknown): text is string {
  return typeof text === 'string' && TRACEPARENT.test(text) && !text.startsWith('ff');
}

/** @param traceparent a valid one */
export function readTraceparent(traceparent: string): TraceContext {
  return {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    isSampled: (Number.parseInt(traceparent.slice(53, 55), 16) & 1) === 1,
  };
}

export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

export const newTraceId = () => randomHex(16);
export const newSpanId = () => randomHex(8);

/** Drawn in advance: one system call for hundreds of ids. */
const pool = Buffer.allocUnsafe(8_192);
let used = pool.length;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}
