import { isDeepStrictEqual } from 'node:util';
import type { ErrorDetail, ErrorValue } from '@worktrack/contracts/errors';
import { deepPaging } from '@worktrack/contracts/fields';
import type { McpTool, Operation } from '@worktrack/contracts/operation';
import { faultsOf, spelledOut } from '@worktrack/runtime/validation/parse';
import { z } from 'zod';
import { inTools } from '../other-operations.ts';
import type { Paging } from './results/result.ts';

type Fields = Readonly<Record<string, unknown>>;

export type ToolError = Omit<ErrorValue, 'details'> & {
  readonly details?: readonly (Pick<ErrorDetail, 'path'> & Partial<ErrorDetail>)[];
};

/** The arguments of a tool, which may be called otherwise than the fields of its operation. */
export interface ToolArguments {
  /** All that it takes, in its own words. */
  readonly schema: z.ZodType;
  readonly unlisted: ReadonlySet<string>;
  /** The arguments as input of the operation; those that the tool does not know stay as they are. */
  readonly toInput: (given: Fields) => Record<string, unknown>;
  /** Faults in the names of arguments, where the operation would suggest its own names and those that only REST takes; or one thing given by two names. */
  readonly unknown: (given: Fields) => readonly ErrorDetail[];
  /** An error of the operation in the words of the call, each said once: what the message says, details only point at. */
  readonly inOwnWords: (error: ErrorValue, given: Fields) => ToolError;
}

/** The one argument of a call whose arguments are no object. */
const NO_OBJECT = 'no object';

/**
 * The messages with arguments that the SDK lets through: what is wrong with arguments is the result of a tool, for a model to read. Of those that are no object, the SDK
 * would make an error of the protocol, which shows the faults as its own library found them.
 */
export function withArguments(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withArguments);
  const { method, params } = (body ?? {}) as { readonly method?: unknown; readonly params?: Fields | null };
  if (method !== 'tools/call' || typeof params !== 'object' || params?.arguments === undefined) return body;
  const { arguments: given } = params;
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return body;
  return { ...(body as object), params: { ...params, arguments: { [NO_OBJECT]: given } } };
}

export function toolArguments(
  { input }: Pick<Operation, 'input'>,
  { omit = [], names = {}, unlisted = [] }: McpTool,
  paging: Paging,
): ToolArguments {
  const listed = Object.entries((input as z.ZodObject).shape).filter(([field]) => !omit.includes(field));
  const named = listed.map(([field, schema]) => [names[field] ?? field, schema] as const);
  const schema = z.strictObject({
    ...Object.fromEntries(named),
    ...(paging === 'made here' && { cursor: deepPaging.cursor }),
  });
  const known = new Set(Object.keys(schema.shape));
  const fieldOf = new Map(Object.entries(names).map(([field, name]) => [name, field]));

  /** Both names of one thing may be given; `unknown` has seen to it that they say the same. */
  const renamed = (given: Fields, nameOf: (key: string) => string) =>
    Object.fromEntries(Object.entries(given).map(([key, value]) => [nameOf(key), value]));
  const contradictions = (given: Fields): ErrorDetail[] =>
    Object.entries(names)
      .filter(([field, name]) => field in given && name in given && !isDeepStrictEqual(given[field], given[name]))
      .map(([field, name]) => ({
        path: name,
        message: `is also given as ${field}, with another value; pass only ${name}`,
      }));
  return {
    schema,
    unlisted: new Set(unlisted),
    toInput: (given) => renamed(given, (key) => fieldOf.get(key) ?? key),
    unknown(given) {
      if (NO_OBJECT in given) {
        const message = 'must be an object, whose fields are the parameters of the tool; without any, {}';
        return [{ path: 'arguments', message }];
      }
      const contradicted = contradictions(given);
      if (contradicted.length > 0) return contradicted;
      const inOwn = renamed(given, (key) => names[key] ?? key);
      const hasCursor = paging === 'made here' && inOwn.cursor !== undefined;
      const isKnown = !hasCursor && Object.keys(inOwn).every((key) => known.has(key));
      return isKnown ? [] : faultsOf(schema, inOwn);
    },
    inOwnWords: ({ message, details, ...error }, given) => {
      let text = inTools(message);
      const own = details?.map(({ path, ...detail }) => {
        const [at = '', ...inside] = path.split('.');
        const field = fieldOf.get(at) ?? at;
        const name = names[field] ?? field;
        const renamed = {
          ...detail,
          path: [field in given && !(name in given) ? field : name, ...inside].join('.'),
          message: inTools(detail.message),
        };
        text = text.replaceAll(spelledOut({ ...renamed, path }), spelledOut(renamed));
        return renamed;
      });
      const paths = own?.map((detail) => (text.includes(detail.message) ? { path: detail.path } : detail));
      return { ...error, message: text, ...(paths && { details: paths }) };
    },
  };
}
