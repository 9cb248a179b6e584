import type { ErrorDetail } from '@worktrack/contracts/errors';
import { OperationError } from '@worktrack/contracts/errors';
import type { z } from 'zod';
import { nearest } from './nearest.ts';

/** An answer lists at most so many faults: 500 wrong ids are one mistake. */
export const MAX_DETAILS = 20;
/** How many faults the message itself spells out. */
const MAX_SPELLED_OUT = 3;
const MAX_ECHOED_LENGTH = 60;
const LONE_SURROGATES = 'must not hold lone surrogates';

type RawIssue = z.core.$ZodRawIssue;

/** Parses an input by its schema, or throws VALIDATION_FAILED with one detail per fault, each saying what to change. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) {
    const fault = unstorable(input, '');
    if (fault) throw invalid([fault]);
    return parsed.data;
  }
  const details = faultsOf(schema, input);
  if (details.length === 0) throw new Error('A schema that refused its input took it the second time.');
  throw invalid(details);
}

/**
 * What JSON can write and no store gives back: half of a surrogate pair, which is no character, and a number beyond all doubles.
 * Of an input that its schema takes, so nothing in it is nested deeper than a schema allows.
 */
function unstorable(value: unknown, path: string): ErrorDetail | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : { path, message: LONE_SURROGATES };
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { path, message: 'is too large a number' };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const fault = key.isWellFormed()
      ? unstorable(inner, path ? `${path}.${key}` : key)
      : { path, message: LONE_SURROGATES };
    if (fault) return fault;
  }
  return undefined;
}

/** A fault as a message holds it. */
export function spelledOut({ path, message }: ErrorDetail): string {
  return path ? `${path}: ${message}` : message;
}

export function invalid(details: readonly ErrorDetail[]): OperationError {
  const spelled = details.slice(0, MAX_SPELLED_OUT).map(spelledOut);
  const more = details.length - spelled.length;
  if (more > 0) spelled.push(`and ${more} more, see details`);
  const told = spelled.join('; ');
  return new OperationError('VALIDATION_FAILED', told.endsWith('?') ? told : `${told}.`, {
    details: details.slice(0, MAX_DETAILS),
  });
}

/** `did you mean …?` for a field that is not known, or the names that are. */
export function unknownField(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  if (meant) return `is not a known field; did you mean ${meant}?`;
  return known.length > 0
    ? `is not a known field; known are ${known.join(', ')}`
    : 'is not a known field; there are none';
}

/** Field names come from the caller: cut before they are repeated. */
export function echoed(text: string): string {
  return text.length > MAX_ECHOED_LENGTH ? `${text.slice(0, MAX_ECHOED_LENGTH)}…` : text;
}

/**
 * One detail per fault; none when the schema takes the input.
 * Only what is refused is parsed by this, with our words: the way of a valid input has no error map to carry.
 */
export function faultsOf(schema: z.ZodType, input: unknown): ErrorDetail[] {
  /** By the list of those that are not, which stays the same object from the raw issue to the finished one. */
  const knownFields = new Map<readonly string[], readonly string[]>();
  const parsed = schema.safeParse(input, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') knownFields.set(issue.keys, fieldsOf(issue.inst));
      return describe(issue);
    },
  });
  const details: ErrorDetail[] = [];
  tell(parsed.error?.issues ?? [], []);
  return details;

  function tell(issues: readonly z.core.$ZodIssue[], parents: readonly PropertyKey[]): void {
    for (const issue of issues) {
      const path = [...parents, ...issue.path];
      if (issue.code === 'unrecognized_keys') {
        const known = knownFields.get(issue.keys) ?? [];
        for (const key of issue.keys) {
          // What is not told needs no guess of what was meant: 10 000 of them would be a second of work.
          const message = details.length < MAX_DETAILS ? unknownField(echoed(key), known) : '';
          details.push({ path: dotted([...path, echoed(key)]), message });
        }
        continue;
      }
      const branch = issue.code === 'invalid_union' ? closestBranch(issue) : undefined;
      if (branch) tell(branch, path);
      else details.push({ path: dotted(path), message: issue.message });
    }
  }
}

const dotted = (path: readonly PropertyKey[]): string => path.map(String).join('.');

/** Of a schema for objects; of any other there are none. */
function fieldsOf(schema: { readonly _zod: { readonly def: unknown } } | undefined): readonly string[] {
  const definition = schema?._zod.def as { readonly shape?: object } | undefined;
  return Object.keys(definition?.shape ?? {});
}

/** Of a union the branch that got furthest says what is wrong; when none took the value at all, the union's own words do. */
function closestBranch(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  const isInside = (fault: z.core.$ZodIssue) => fault.path.length > 0 || fault.code === 'unrecognized_keys';
  return issue.errors.find((branch) => branch.length > 0 && branch.every(isInside));
}

function describe(issue: RawIssue): string | undefined {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
    return `is required: ${expected(issue)}`;
  }
  switch (issue.code) {
    case 'invalid_type':
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
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction';
  return TYPES[typeof value] ?? typeof value;
}

const listed = (values: readonly unknown[]): string =>
  values.length === 1 ? JSON.stringify(values[0]) : `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;

function oneOf(issue: RawIssue & { readonly code: 'invalid_value' }): string {
  const names = issue.values.filter((value) => typeof value === 'string');
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
      const told = fault.message.replace(/^must be /, '').replace(/, not .*$/, '');
      words.add(fields.length > 0 ? `${told} with ${fields.join(', ')}` : told);
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
