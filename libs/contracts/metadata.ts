import { z } from 'zod';

export type Metadata = Record<string, unknown>;

export const MAX_METADATA_BYTES = 256 * 1024;
/** Far below the 100 levels that database documents may have. */
export const MAX_METADATA_DEPTH = 32;
/** One more than a response lists, so that it can say that there are more. */
const MAX_FAULTS = 21;

/**
 * Free-form metadata as a caller sends it. Rejected here: keys that the database would read as operators or paths (`$…`, `a.b`), keys by which
 * its driver recognizes its own objects, and `__proto__`. The size is checked after the merge, when the
 * whole is known (MAX_METADATA_BYTES).
 * `unknown` rather than a record: zod's record silently drops `__proto__`, and advertises more than `{"type":"object"}`.
 */
export const MetadataInput = z
  .unknown()
  .superRefine((value, context) => {
    if (!isObject(value)) {
      context.addIssue({ code: 'custom', message: 'must be an object' });
      return;
    }
    for (const { path, message } of faultsIn(value)) context.addIssue({ code: 'custom', path, message });
  })
  .meta({ type: 'object', additionalProperties: true }) as unknown as z.ZodType<Metadata, Metadata>;

interface Fault {
  /** Paths are built from the inside out, so that valid input costs nothing. */
  readonly path: (string | number)[];
  readonly message: string;
}

function faultsIn(value: Metadata): readonly Fault[] {
  const faults: Fault[] = [];
  look(value, 1, faults);
  for (const { path } of faults) path.reverse();
  return faults;
}

/** @param depth how many levels there are, including this one */
function look(value: object, depth: number, faults: Fault[]): void {
  if (depth > MAX_METADATA_DEPTH) {
    faults.push({ path: [], message: `must not be nested deeper than ${MAX_METADATA_DEPTH} levels` });
    return;
  }
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && faults.length < MAX_FAULTS; at++) lookInside(value[at], at, depth, faults);
    return;
  }
  for (const key of Object.keys(value)) {
    if (faults.length >= MAX_FAULTS) return;
    const message = faultOf(key);
    if (message) faults.push({ path: [key], message });
    else lookInside((value as Metadata)[key], key, depth, faults);
  }
}

function lookInside(child: unknown, key: string | number, depth: number, faults: Fault[]): void {
  if (typeof child !== 'object' || child === null) return;
  const before = faults.length;
  look(child, depth + 1, faults);
  for (let at = before; at < faults.length; at++) faults[at]?.path.push(key);
}

/** `_bsontype` makes the driver take a plain object for one of its own, and `toBSON` replaces it by another. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', '_bsontype', 'toBSON']);

function faultOf(key: string): string | undefined {
  if (RESERVED.has(key)) return `must not be named ${key}`;
  if (key.startsWith('$')) return 'must not start with $';
  if (key.includes('.')) return 'must not contain a dot; nest objects instead';
  if (key.includes('\0')) return 'must not contain a NUL character';
  return undefined;
}

function isObject(value: unknown): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
