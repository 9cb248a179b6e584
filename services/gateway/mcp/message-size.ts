import { invalid } from '@worktrack/runtime/validation/parse';

/** Messages in one body; as many as the SDK takes, which looks at each before it counts them. */
const MAX_MESSAGES = 100;
/** Names and entries in one body, without those inside the arguments of tools. No client sends a tenth of it. */
const MAX_FIELDS = 5_000;

/**
 * Refuses what would take the SDK long to refuse: it looks at every field of a message several times. What is inside the arguments of a tool it leaves
 * alone; their own validation ends at the 20th fault.
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
      throw invalid([{ path: '', message: `must have at most ${MAX_FIELDS} fields beside what arguments hold` }]);
    }
    if (isArguments) continue;
    for (const key of keys) {
      open.push({ value: (value as Readonly<Record<string, unknown>>)[key], isArguments: key === 'arguments' });
    }
  }
}
