/** In `_meta` of a tool call: the idempotency key of a write, for clients that cannot set headers. 1 to 255 printable ASCII characters. */
export const IDEMPOTENCY_KEY_META = 'worktrack/idempotencyKey';
/** In `_meta` of a result: true if it is the result of an earlier call with the same key. */
export const IDEMPOTENCY_REPLAYED_META = 'worktrack/idempotencyReplayed';
