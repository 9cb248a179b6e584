import { invalid } from '@worktrack/runtime/validation/parse';

/** Messages in one body; as many as the SDK accepts, but it examines each before it counts them. */
const MAX_MESSAGES = 100;
/** Names and entries in one body, excluding those inside tool arguments. No client sends a tenth of it. */
const MAX_FIELDS = 5_000;

/**
 * Rejects what would take the SDK long to reject: it examines every field of a message several times. It leaves tool arguments
 * alone; their own validation stops at the 20th error.
 * @throws OperationError VALIDATION_FAILED
 */
export function requireModestSize(body: unknown): void {
  if (Array.isArray(body) && body.length > MAX_MESSAGES) {
    throw invalid([{ path: '', message: `must have at most ${MAX_MESSAGES} messages` }]);
  }
  let fields = 0;
  const open: { readonly value: unknown; readonly isArguments: boolean }[] = [{ value: body, isArguments: false }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, isArguments } = next;
    if (typeof value !== 'object' || value === null) continue;
    const keys = Object.keys(value);
    fields += keys.length;
    if (fields > MAX_FIELDS) {
      throw invalid([
        { path: '', message: `must have at most ${MAX_FIELDS} fields, not counting those inside arguments` },
      ]);
    }
    if (isArguments) continue;
    for (const key of keys) {
      open.push({ value: (value as Readonly<Record<string, unknown>>)[key], isArguments: key === 'arguments' });
    }
  }
}
