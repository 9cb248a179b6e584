import { described } from '@worktrack/contracts/described';
import { z } from 'zod';

/** JSON Schema, draft 2020-12, as far as the contracts use it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** What a client sends: fields with a default are optional, transformed ones are in their original form. */
export function inputSchema(input: z.ZodType): JsonSchema {
  return toJsonSchema(input, { io: 'input' });
}

/** The same, including what is too long for the tool list. */
export function describedInputSchema(input: z.ZodType): JsonSchema {
  return toJsonSchema(input, { io: 'input', isLong: true });
}

/** @param names schemas to refer to, as `#/$defs/<id>`, rather than repeat */
export function outputSchema(output: z.ZodType, names?: z.core.$ZodRegistry<{ id: string }>): JsonSchema {
  return toJsonSchema(output, { io: 'output', names });
}

function toJsonSchema(
  schema: z.ZodType,
  options: {
    readonly io: 'input' | 'output';
    readonly names?: z.core.$ZodRegistry<{ id: string }> | undefined;
    readonly isLong?: boolean;
  },
): JsonSchema {
  const { io, names, isLong = false } = options;
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    ...(names ? { metadata: names } : {}),
    override: ({ zodSchema, jsonSchema }) => {
      if (typeof jsonSchema.additionalProperties === 'object') {
        // A free-form object. This is the only form client generators recognize: some take `{}` or nothing for an object without fields.
        jsonSchema.additionalProperties = true;
        delete jsonSchema.propertyNames;
      } else if (io === 'output' && jsonSchema.additionalProperties === false) {
        // Responses may gain fields: a client that validates them must not break when one does.
        delete jsonSchema.additionalProperties;
      }
      // zod leaves out the default of a schema with a transform.
      if (isLong && zodSchema instanceof z.ZodDefault) jsonSchema.default ??= zodSchema.def.defaultValue;
      // Of several forms, openapi-generator writes it into Go as the name of something that is not there.
      if (isLong && jsonSchema.anyOf && jsonSchema.default !== undefined) {
        jsonSchema.description ??= `Default: ${jsonSchema.default}`;
        delete jsonSchema.default;
      }
      // openapi-generator takes a constant for a text: its Python client would refuse each answer with `success: true`.
      if (io === 'output' && typeof jsonSchema.const === 'boolean') delete jsonSchema.const;
      // Without it, some clients assume 32 bits.
      if (jsonSchema.type === 'number') jsonSchema.format = 'double';
      // zod only looks into `names`.
      const format = z.globalRegistry.get(zodSchema)?.format;
      if (format !== undefined) jsonSchema.format = format as string;
      if (!isLong) return;
      const { description, pattern = patternOf(zodSchema, jsonSchema), ...bounds } = described.get(zodSchema) ?? {};
      if (description !== undefined) jsonSchema.description ??= description;
      if (pattern !== undefined) jsonSchema.pattern = pattern;
      Object.assign(jsonSchema, bounds);
    },
  }) as Record<string, unknown>;
  return json as JsonSchema;
}

/** Text that must not be empty after trimming. */
function patternOf(
  { _zod }: z.core.$ZodType,
  { minLength, pattern }: z.core.JSONSchema.BaseSchema,
): string | undefined {
  const isTrimmed = _zod.def.checks?.some(({ _zod: check }) => check.def.check === 'overwrite') ?? false;
  return isTrimmed && minLength === 1 && pattern === undefined ? '\\S' : undefined;
}

export function fieldsOf(schema: JsonSchema): readonly string[] {
  return Object.keys(schema.properties ?? {});
}

/** The JSON types that a value of this schema can have. */
export function typesOf(schema: JsonSchema): ReadonlySet<string> {
  const types = new Set<string>(typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []));
  for (const branch of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    for (const type of typesOf(branch)) types.add(type);
  }
  return types;
}
