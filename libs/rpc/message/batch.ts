/** Limits of one message, in both directions. A message costs the same whatever its content, up to about this size. */
export const MAX_BATCH_ITEMS = 64;
export const MAX_BATCH_BYTES = 64 * 1024;
