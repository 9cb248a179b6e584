import type { Arguments } from './mending.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
}
export interface Tool {
  readonly name: string;
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
}

/** One argument of a call made wrong in one way. */
export interface Wrong {
  readonly argument: string;
  readonly how: string;
  readonly args: Arguments;
}

const UNKNOWN_ID = '01990000-0000-7000-8000-00000000dead';

/** Every way in which each argument of a right call is made wrong: its name, its presence, its type, its value. */
export function wrongWays({ inputSchema }: Tool, right: Arguments): Wrong[] {
  const required = inputSchema.required ?? [];
  const cursor = 'cursor' in (inputSchema.properties ?? {}) && !('cursor' in right);
  const ofCursor = { argument: 'cursor', how: 'that was made up', args: { ...right, cursor: 'made up' } };
  const ofRight = Object.entries(right).flatMap(([argument, value]) => {
    const { [argument]: _, ...rest } = right;
    const schema = (inputSchema.properties?.[argument] ?? {}) as Schema;
    const wrong = (how: string, given: unknown): Wrong => ({ argument, how, args: { ...right, [argument]: given } });
    return [
      { argument, how: 'in another style', args: { ...rest, [snake(argument)]: value } },
      { argument, how: 'misspelled', args: { ...rest, [misspelled(argument)]: value } },
      ...(required.includes(argument) ? [{ argument, how: 'left out', args: rest }] : []),
      ...typesOf(schema)
        .slice(0, 1)
        .flatMap((type) => (type in OTHER_TYPE ? [wrong('of another type', OTHER_TYPE[type])] : [])),
      ...valuesOf(argument, schema, value).map(([how, given]) => wrong(how, given)),
    ].filter(({ args }) => JSON.stringify(args) !== JSON.stringify(right));
  });
  return [...ofRight, ...(cursor ? [ofCursor] : [])];
}

const typesOf = ({ type, anyOf }: Schema): readonly string[] =>
  type === undefined ? (anyOf ?? []).flatMap(typesOf) : [type].flat();

const OTHER_TYPE: Readonly<Record<string, unknown>> = {
  string: { text: 'of an object' },
  integer: 'many',
  number: 'many',
  boolean: 'perhaps',
  array: 7,
  object: 'of a string',
};

const snake = (name: string) =>
  /[A-Z]/.test(name) ? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name.toUpperCase();
/** Two letters in the middle change places. */
const misspelled = (name: string) => {
  const at = Math.floor(name.length / 2);
  return `${name.slice(0, at - 1)}${name[at]}${name[at - 1]}${name.slice(at + 1)}`;
};

/** Values of the right type that cannot be meant. */
function valuesOf(argument: string, schema: Schema, value: unknown): [string, unknown][] {
  if (schema.enum)
    return [
      ['a value that is nearly one', `${value}s`],
      ['a value in capitals', String(value).toUpperCase()],
    ];
  if (typeof value === 'number')
    return [
      ['less than nothing', -1],
      ['far too many', 1e15],
    ];
  if (/ColumnId$/.test(argument)) return [['a column that is not there', 'Somewhere']];
  if (/Ids$|^dependsOn$/.test(argument)) return [['what names nothing', ['W-T-99999']]];
  if (/^(?!lease).*Id$/.test(argument) && argument !== 'externalId') return [['what names nothing', UNKNOWN_ID]];
  if (argument === 'leaseToken' || argument === 'cursor') return [['one that was made up', 'made up']];
  if (/^(from|to|createdAfter|updatedAfter)$/.test(argument)) return [['no time', 'yesterday']];
  if (argument === 'sort') return [['no field', 'importance']];
  if (typeof value === 'string')
    return [
      ['far too long', 'x'.repeat(300_000)],
      ['empty', ''],
    ];
  return [];
}
