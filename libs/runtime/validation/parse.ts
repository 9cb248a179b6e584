import type { ErrorDetail } from '@worktrack/contracts/errors';
import { OperationError } from '@worktrack/contracts/errors';
import type { z } from 'zod';
import { nearest } from './nearest.ts';

/** Validation stops at this many errors: 500 wrong ids are one mistake, and 90 000 unknown fields an attack. */
export const MAX_DETAILS = 20;
/** How many errors the message itself spells out. */
const MAX_SPELLED_OUT = 3;
const MAX_ECHOED_LENGTH = 60;
/** How many steps of a path are shown. */
const MAX_ECHOED_STEPS = 40;
const LONE_SURROGATES = 'must not contain lone surrogates';
const TOO_LARGE = 'is too large a number';

type RawIssue = z.core.$ZodRawIssue;

/** Parses an input with its schema, or throws VALIDATION_FAILED with one detail per error, each saying what to change. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input, IN_OUR_WORDS);
  if (!parsed.success) throw invalid(detailsOf(parsed.error));
  const fault = unstorable(input);
  if (fault) throw invalid([{ path: dotted(fault.path.reverse()), message: fault.message }]);
  return parsed.data;
}

/**
 * What JSON can express but no store can return: half of a surrogate pair, which is not a character, and numbers beyond the range of doubles.
 * Called for input that its schema accepted, so nothing is nested deeper than the schema allows.
 * @returns its path, built from the inside out, so that valid input costs nothing
 */
function unstorable(value: unknown): { readonly path: PropertyKey[]; readonly message: string } | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : { path: [], message: LONE_SURROGATES };
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : { path: [], message: TOO_LARGE };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) return { path: [], message: LONE_SURROGATES };
    const fault = unstorable((value as Record<string, unknown>)[key]);
    if (fault) {
      fault.path.push(key);
      return fault;
    }
  }
  return undefined;
}

/** An error as it appears in a message. */
export function spelledOut({ path, message }: ErrorDetail): string {
  return path ? `${path}: ${message}` : message;
}

/** @param details what was found; beyond MAX_DETAILS, only the first are listed, and that there are more */
export function invalid(details: readonly ErrorDetail[]): OperationError {
  const reported = details.slice(0, MAX_DETAILS);
  const spelled = reported.slice(0, MAX_SPELLED_OUT).map(spelledOut);
  const more = reported.length - spelled.length;
  if (details.length > reported.length) {
    spelled.push(`and more than ${more} more, see details for the first ${MAX_DETAILS}`);
  } else if (more > 0) spelled.push(`and ${more} more, see details`);
  const text = spelled.join('; ');
  return new OperationError('VALIDATION_FAILED', text.endsWith('?') ? text : `${text}.`, { details: reported });
}

/** `did you mean …?` for an unknown field, or the known names. @param areListed they have been, for another one: some tools have thirty */
export function unknownField(name: string, known: readonly string[], areListed = false): string {
  const meant = nearest(name, known);
  if (meant) return `is not a known field; did you mean ${meant}?`;
  if (areListed) return 'is not a known field';
  return known.length > 0
    ? `is not a known field; known fields are ${known.join(', ')}`
    : 'is not a known field; there are none';
}

/** Field names come from the caller: shortened before they are echoed. */
export function echoed(text: string): string {
  return text.length > MAX_ECHOED_LENGTH ? `${text.slice(0, MAX_ECHOED_LENGTH)}…` : text;
}

/** One detail per error, up to MAX_DETAILS; none if the schema accepts the input. */
export function faultsOf(schema: z.ZodType, input: unknown): ErrorDetail[] {
  const parsed = schema.safeParse(input, IN_OUR_WORDS);
  return parsed.success ? [] : detailsOf(parsed.error);
}

/** Keyed by the list of unknown names, which stays the same object from the raw issue to the finished one. */
const knownFields = new WeakMap<readonly string[], readonly string[]>();

const IN_OUR_WORDS = {
  error(issue: RawIssue): string | undefined {
    if (issue.code !== 'unrecognized_keys') return describe(issue);
    knownFields.set(issue.keys, fieldsOf(issue.inst));
    // Listed one by one in detailsOf; without a message here, zod lists all of them in its own.
    return 'has unknown fields';
  },
};

function detailsOf({ issues }: z.ZodError): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  tell(issues, []);
  return details;

  /** One more than is shown, so that it is known that there are more. */
  function isEnough(): boolean {
    return details.length > MAX_DETAILS;
  }

  function tell(some: readonly z.core.$ZodIssue[], parents: readonly PropertyKey[]): void {
    for (const issue of some) {
      if (isEnough()) return;
      if (some.some((other) => isStricter(other, issue))) continue;
      const path = [...parents, ...issue.path];
      if (issue.code === 'unrecognized_keys') {
        const known = knownFields.get(issue.keys) ?? [];
        let areListed = false;
        for (const key of issue.keys) {
          if (isEnough()) return;
          const message = unknownField(echoed(key), known, areListed);
          areListed ||= !message.endsWith('?');
          details.push({ path: dotted([...path, key]), message });
        }
        continue;
      }
      const branch = issue.code === 'invalid_union' ? closestBranch(issue) : undefined;
      if (branch) tell(branch, path);
      else details.push({ path: dotted(path), message: issue.message });
    }
  }
}

/** A whole number beyond its field's bound also exceeds the numbers that can be held exactly. Only the field's own bound helps. */
function isStricter(one: z.core.$ZodIssue, other: z.core.$ZodIssue): boolean {
  const isOfSame = one.path.join('.') === other.path.join('.');
  if (isOfSame && one.code === 'too_big' && other.code === 'too_big') return one.maximum < other.maximum;
  if (isOfSame && one.code === 'too_small' && other.code === 'too_small') return one.minimum > other.minimum;
  return false;
}

const dotted = (path: readonly PropertyKey[]): string =>
  path
    .slice(0, MAX_ECHOED_STEPS)
    .map((step) => echoed(String(step)))
    .join('.');

/** For an object schema; others have none. */
function fieldsOf(schema: { readonly _zod: { readonly def: unknown } } | undefined): readonly string[] {
  const definition = schema?._zod.def as { readonly shape?: object } | undefined;
  return Object.keys(definition?.shape ?? {});
}

/** For a union, the branch that got furthest says what is wrong; if none accepted the value at all, the union's own message does. */
function closestBranch(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  const isInside = (fault: z.core.$ZodIssue) => fault.path.length > 0 || fault.code === 'unrecognized_keys';
  return issue.errors.find((branch) => branch.length > 0 && branch.every(isInside));
}

function describe(issue: RawIssue): string | undefined {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
    return `is required (${expected(issue).replace(/^an? /, '')})`;
  }
  switch (issue.code) {
    case 'invalid_type':
      // JSON's 1e309 is infinite, which zod takes for no number.
      if (issue.expected === 'number' && typeof issue.input === 'number') return TOO_LARGE;
      return `must be ${expected(issue)}, not ${nameOf(issue.input)}`;
    case 'invalid_value':
      return oneOf(issue);
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : `must be ${alternatives(issue)}`;
    case 'too_big':
      return `must ${limit(issue.origin, 'at most', Number(issue.maximum), issue.inclusive !== false)}`;
    case 'too_small':
      if (issue.origin === 'string' && Number(issue.minimum) === 1) return 'must not be empty';
      return `must ${limit(issue.origin, 'at least', Number(issue.minimum), issue.inclusive !== false)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? `of the form ${issue.pattern ?? issue.format}`}`;
    case 'invalid_key':
      return 'has a key that is not allowed';
    default:
      return undefined;
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
  datetime: 'an ISO 8601 time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function expected(issue: RawIssue): string {
  if (issue.code === 'invalid_value') return listed(issue.values);
  const name = String((issue as { readonly expected?: unknown }).expected);
  return TYPES[name] ?? name;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  // 1e309 is infinite.
  if (Number.isFinite(value) && !Number.isInteger(value)) return 'a fraction';
  return TYPES[typeof value] ?? typeof value;
}

const listed = (values: readonly unknown[]): string =>
  values.length === 1 ? JSON.stringify(values[0]) : `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;

function oneOf(issue: RawIssue & { readonly code: 'invalid_value' }): string {
  const names = issue.values.filter((value) => typeof value === 'string');
  // Each of its values may be one of them.
  if (Array.isArray(issue.input)) return `must be ${listed(issue.values)}, not an array`;
  const meant = typeof issue.input === 'string' ? nearest(issue.input, names) : undefined;
  return `must be ${listed(issue.values)}${meant ? `; did you mean ${JSON.stringify(meant)}?` : ''}`;
}

function alternatives(issue: RawIssue & { readonly code: 'invalid_union' }): string {
  const { options = [] } = (issue.inst?._zod.def ?? {}) as { readonly options?: readonly z.core.$ZodType[] };
  const words = new Set<string>();
  for (const [at, branch] of issue.errors.entries()) {
    const fields = fieldsOf(options[at]);
    for (const fault of branch) {
      if (fault.path.length > 0) continue;
      const requirement = fault.message.replace(/^must be /, '').replace(/, not .*$/, '');
      words.add(fields.length > 0 ? `${requirement} with ${fields.join(', ')}` : requirement);
    }
  }
  return words.size > 0 ? [...words].join(' or ') : 'of another form';
}

function limit(origin: string, bound: 'at least' | 'at most', value: number, inclusive: boolean): string {
  if (origin === 'string') return `have ${bound} ${value} characters`;
  if (origin === 'array' || origin === 'set') return `have ${bound} ${value} ${value === 1 ? 'entry' : 'entries'}`;
  if (inclusive) return `be ${bound} ${value}`;
  return bound === 'at most' ? `be less than ${value}` : `be more than ${value}`;
}
