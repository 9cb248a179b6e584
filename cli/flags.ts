import type { Operation } from '@worktrack/contracts/operation';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { Failure, inFlags, kebab } from './failure.ts';
import { HELP } from './help.ts';
import { duration, inUnit } from './options.ts';
import { textFrom } from './text-input.ts';

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

type Fields = Record<string, unknown>;

/** Commander uses null for an option without a value. */
const NULL = Symbol('null');

/** Potentially long texts can also come from standard input or a file. */
const LONG_TEXTS: ReadonlySet<string> = new Set(['description', 'text', 'summary', 'userActions']);

/**
 * Adds an option for every field of an operation's input, named as the field is: `--board-column-id`, and `--boardColumnId` too (see `withKebabCase`).
 * So the command accepts whatever the service accepts, from the same declaration.
 * @param given fields that the command gets in another way, or sets itself
 */
export function addFlags(command: Command, operation: Operation, given: readonly string[] = []): Command {
  const { properties = {}, required = [] } = inputOf(operation);
  const fields = Object.keys(properties);
  for (const [field, schema] of Object.entries(properties)) {
    if (given.includes(field)) continue;
    for (const option of optionsOf(field, schema, helpOf(field, schema, fields))) {
      if (required.includes(field) && !LONG_TEXTS.has(field)) option.makeOptionMandatory();
      command.addOption(option);
    }
  }
  return command;
}

/** The fields of the input among the options of a command, with the contents of any files they name. */
export async function fieldsFrom(operation: Operation, options: Fields): Promise<Fields> {
  const fields: Fields = {};
  for (const field of Object.keys(inputOf(operation).properties ?? {})) {
    const value = LONG_TEXTS.has(field) ? await textOf(field, options) : options[field];
    if (value !== undefined) fields[field] = value === NULL ? null : isNoneOf(value) ? [] : value;
  }
  return fields;
}

/** A list of which nothing is to be left: on a command line, an empty one is an option without its value. */
const isNoneOf = (value: unknown) => Array.isArray(value) && value.length === 1 && value[0] === 'null';

async function textOf(field: string, options: Fields): Promise<string | undefined> {
  const [text, path] = [options[field], options[`${field}File`]] as [string | undefined, string | undefined];
  if (text !== undefined && path !== undefined) {
    throw new Failure('usage', `Pass --${kebab(field)} or --${kebab(field)}-file, not both.`);
  }
  if (path !== undefined) return textFrom(path);
  return text === '-' ? textFrom('-') : text;
}

/** What the contract says of a field, in the words of the command line, or else what `HELP` says. */
function helpOf(field: string, { description }: JsonSchema, fields: readonly string[]): string {
  const help = HELP[field] ?? '';
  if (description === undefined) return help;
  const said = inFlags(description, fields, {}).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  return said.startsWith('null') ? `${help}; ${said}` : said;
}

function optionsOf(field: string, schema: JsonSchema, description: string): Option[] {
  const name = kebab(field);
  const types = typesOf(schema);
  if (LONG_TEXTS.has(field)) {
    return [
      new Option(`--${name} <text>`, [description, '- reads standard input'].filter(Boolean).join('; ')),
      new Option(`--${name}-file <path>`, `--${name} from a file`),
    ];
  }
  if (types.has('boolean')) {
    const [yes = '', no] = description.split('; false: ');
    return [new Option(`--${name}`, yes), ...(no === undefined ? [] : [new Option(`--no-${name}`, no)])];
  }
  if (schema.items?.type === 'object') return [new Option(`--${name} <json>`, description).argParser(listOf)];
  if (types.has('array')) return [new Option(`--${name} <value...>`, description)];
  const values = choicesOf(schema);
  if (values) return [new Option(`--${name} <value>`, description).choices(values)];
  const isNullable = types.has('null');
  const option = new Option(
    `--${name} <value>`,
    isNullable && !/\bnull\b/.test(description) ? `${description}; "null" for none` : description,
  );
  return [
    option.argParser((text: string) => {
      if (isNullable && text === 'null') return NULL;
      // A field without a type holds anything.
      if (types.size === 0) return anyJsonOf(text);
      if (types.has('integer') || types.has('number')) return numberOf(text);
      // A position is a word or an object; a word is not JSON.
      if (types.has('object') && (!types.has('string') || text.startsWith('{'))) return objectOf(text);
      return text;
    }),
  ];
}

function numberOf(text: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}

function anyJsonOf(text: string): unknown {
  const value = jsonOf(text);
  if (value === undefined) throw new InvalidArgumentError('It must be JSON.');
  return value;
}

function objectOf(text: string): unknown {
  const value = jsonOf(text);
  if (typeof value === 'object' && value !== null) return value;
  throw new InvalidArgumentError('It must be a JSON object.');
}

function listOf(text: string): unknown {
  const value = jsonOf(text);
  if (Array.isArray(value)) return value;
  throw new InvalidArgumentError('It must be a JSON list.');
}

/** @returns undefined if it is no JSON */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What an option that gives one of an operation's fields as a time accepts. @returns seconds */
export function durationOf(operation: Operation, field: string): (text: string) => number {
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = inputOf(operation).properties?.[field] ?? {};
  return (text) => {
    const seconds = duration(text);
    if (seconds < minimum) throw new InvalidArgumentError(`It must be at least ${inUnit(minimum)}.`);
    if (seconds > maximum) throw new InvalidArgumentError(`It must be at most ${inUnit(maximum)}.`);
    return seconds;
  };
}

/** The names of an operation's fields. */
export const fieldNames = (operation: Operation): string[] => Object.keys(inputOf(operation).properties ?? {});

const inputOf = (operation: Operation) =>
  z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

function typesOf({ type, anyOf = [] }: JsonSchema): ReadonlySet<string> {
  return new Set([type ?? [], ...anyOf.map((branch) => [...typesOf(branch)])].flat());
}

function choicesOf(schema: JsonSchema): string[] | undefined {
  const values = schema.enum?.filter((value) => typeof value === 'string');
  return values && values.length > 0 ? values : undefined;
}

/** `--boardColumnId` is `--board-column-id`: the service's documentation spells fields that way. */
export function withKebabCase(args: readonly string[]): string[] {
  return args.map((arg) => arg.replace(/^--[a-z]+(?:[A-Z][a-z]*)+(?==|$)/, kebab));
}
