import type { Operation } from '@worktrack/contracts/operation';
import { z } from 'zod';

type Schema = Exclude<z.core.JSONSchema._JSONSchema, boolean>;

/** A field of an operation's input that names a record: `list` if it takes several. */
export interface IdField {
  readonly name: string;
  readonly list: boolean;
}

const A_UUID = '018f2d5e-7c3a-7000-8000-000000000000';
const NAMED_LIKE_AN_ID = /(^id|Id|^ids|Ids|^key)$/;

/** The input of an operation, as the fields that a caller may give. */
function fieldsOf(operation: Operation): Record<string, z.ZodType> {
  if (!(operation.input instanceof z.ZodObject)) throw new Error(`The input of ${operation.name} is not an object.`);
  return operation.input.shape as Record<string, z.ZodType>;
}

/**
 * Finds id fields by the values that they accept, so that a new operation is covered as soon as it is declared. Such a field takes a UUID and no other word, or
 * has a name like an id's.
 */
export function idFields(operation: Operation): IdField[] {
  return Object.entries(fieldsOf(operation)).flatMap(([name, field]) => {
    for (const list of [false, true]) {
      const asGiven = (value: string) => (list ? [value] : value);
      const takesIds = field.safeParse(asGiven(A_UUID)).success;
      const takesAnything = field.safeParse(asGiven('sample')).success;
      if (takesIds && (!takesAnything || NAMED_LIKE_AN_ID.test(name))) return [{ name, list }];
    }
    return [];
  });
}

/** What is put into fields whose form a schema does not show. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  colour: '#1f6feb',
  email: 'sample@example.com',
  endpoint: 'https://push.invalid/sample',
  // Of the length of a public key and of a secret (RFC 8291); neither is one.
  keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) },
  leaseToken: 'sample-lease-token',
  // Names under it belong to nobody (RFC 2606).
  url: 'https://hooks.invalid/sample',
};

interface Form {
  readonly schema: Schema;
  readonly ids: ReadonlyMap<string, IdField>;
}

/** Found once for each operation, for that takes 5 ms and each is called with dozens of inputs. */
const forms = new WeakMap<Operation, Form>();

function formOf(operation: Operation): Form {
  const form = forms.get(operation) ?? {
    schema: z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }) as Schema,
    ids: new Map(idFields(operation).map((field) => [field.name, field])),
  };
  forms.set(operation, form);
  return form;
}

/**
 * The smallest input of the operation's shape, and of its route.
 * @param idFor the id to put into each field of the path, and each required one, that takes one
 */
export function sampleInput(operation: Operation, idFor: (field: string) => string): Record<string, unknown> {
  const { schema, ids } = formOf(operation);
  const input: Record<string, unknown> = {};
  const placeholders = [...(operation.rest ?? '').matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');
  const required = [...(schema.required ?? []), ...(operation.mcp?.required ?? [])];
  for (const name of new Set([...required, ...placeholders])) {
    const id = ids.get(name);
    if (id) input[name] = id.list ? [idFor(name)] : idFor(name);
    else input[name] = BY_NAME[name] ?? sampleOf(schema.properties?.[name] as Schema, idFor);
  }
  return input;
}

function sampleOf(schema: Schema, idFor: (field: string) => string): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (choices?.[0]) return sampleOf(choices[0], idFor);
  switch ([schema.type].flat()[0]) {
    case 'string':
      return 'sample'.padEnd(schema.minLength ?? 0, '.').slice(0, schema.maxLength);
    case 'number':
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return schema.minItems ? [sampleOf(schema.items as Schema, idFor)] : [];
    case 'object': {
      const properties = (schema.properties ?? {}) as Record<string, Schema>;
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          name === 'id' ? idFor(name) : sampleOf(properties[name] ?? {}, idFor),
        ]),
      );
    }
    default:
      return 'sample';
  }
}
