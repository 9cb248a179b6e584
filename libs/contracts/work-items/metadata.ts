import { z } from 'zod';

export type Metadata = Record<string, unknown>;

export const MAX_METADATA_BYTES = 256 * 1024;
/** Far below the 100 levels that the database's documents may have. */
export const MAX_METADATA_DEPTH = 32;

/**
 * Free-form metadata as a caller gives it. Refused here: keys that the database would read as operators or paths (`$…`, `a.b`), and
 * `__proto__`. The size is checked after the merge, where the whole is known (MAX_METADATA_BYTES).
 * `unknown` and not a record: zod's record leaves `__proto__` out in silence, and advertises more than `{"type":"object"}`.
 */
export const MetadataInput = z
  .unknown()
  .superRefine((value, context) => {
    if (!isObject(value)) context.addIssue({ code: 'custom', message: 'must be an object' });
    else refuseKeys(value, [], context);
  })
  .meta({ type: 'object', additionalProperties: true }) as unknown as z.ZodType<Metadata, Metadata>;

function refuseKeys(value: object, path: (string | number)[], context: z.RefinementCtx): void {
  if (path.length >= MAX_METADATA_DEPTH) {
    context.addIssue({ code: 'custom', path, message: `must not be nested deeper than ${MAX_METADATA_DEPTH} levels` });
    return;
  }
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [key, child] of entries) {
    const at = [...path, key];
    if (typeof key === 'string') {
      const fault = faultOf(key);
      if (fault) context.addIssue({ code: 'custom', path: at, message: fault });
    }
    if (typeof child === 'object' && child !== null) refuseKeys(child, at, context);
  }
}

function faultOf(key: string): string | undefined {
  if (key === '__proto__') return 'must not be named __proto__';
  if (key.startsWith('$')) return 'must not be named with a $ at the start';
  if (key.includes('.')) return 'must not be named with a dot; nest objects instead';
  if (key.includes('\0')) return 'must not be named with a NUL character';
  return undefined;
}

function isObject(value: unknown): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
