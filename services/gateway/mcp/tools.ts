import type { Caller } from '@worktrack/contracts/caller';
import { allOperations } from '@worktrack/contracts/catalogue';
import type { McpTool, Operation } from '@worktrack/contracts/operation';
import { isPermitted } from '../identity/permissions.ts';
import { fieldsOf, inputSchema, type JsonSchema, outputSchema } from '../schema.ts';
import { type ToolArguments, toolArguments } from './arguments.ts';
import type { ResultShape } from './results/result.ts';

/** A tool as `tools/list` shows it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

export interface Tool {
  readonly operation: Operation;
  readonly definition: ToolDefinition;
  readonly arguments: ToolArguments;
  readonly result: ResultShape;
}

export interface ToolCatalogue {
  readonly byName: ReadonlyMap<string, Tool>;
  /** What `tools/list` returns to a caller: the same array for the same permissions, in contract order. */
  visibleTo(caller: Pick<Caller, 'permissions'>): readonly ToolDefinition[];
}

export function toolCatalogue(): ToolCatalogue {
  const byName = new Map<string, Tool>();
  for (const operation of allOperations()) {
    if (!operation.mcp) continue;
    if (byName.has(operation.mcp.tool)) throw new Error(`Two operations are the tool ${operation.mcp.tool}.`);
    byName.set(operation.mcp.tool, toolOf(operation, operation.mcp));
  }
  const visible = new Map<string, readonly ToolDefinition[]>();
  return {
    byName,
    visibleTo(caller) {
      // Permissions are few and in the order in which the keys service returns them: a dozen or so different lists at most.
      const permissions = caller.permissions.join(' ');
      let definitions = visible.get(permissions);
      if (!definitions) {
        definitions = [...byName.values()]
          .filter((tool) => isPermitted(caller, tool.operation.permissions))
          .map((tool) => tool.definition);
        visible.set(permissions, definitions);
      }
      return definitions;
    },
  };
}

function toolOf(operation: Operation, mcp: McpTool): Tool {
  const result = resultShape(operation);
  const taken = toolArguments(operation, mcp, result.paging);
  const whole = inputSchema(taken.schema);
  const properties = Object.fromEntries(
    Object.entries(whole.properties ?? {}).flatMap(([name, schema]) =>
      taken.unlisted.has(name) ? [] : [[name, mcp.opaque?.includes(name) ? OPAQUE : brief(schema)] as const],
    ),
  );
  const required = [...(whole.required ?? []), ...(mcp.required ?? [])];
  return {
    operation,
    arguments: taken,
    result,
    definition: {
      name: mcp.tool,
      title: mcp.title,
      description: mcp.description ? `${operation.summary} ${mcp.description}` : operation.summary,
      inputSchema: { type: 'object', properties, ...(required.length > 0 ? { required } : {}) },
      annotations: {
        readOnlyHint: operation.effect === 'read',
        destructiveHint: mcp.destructive ?? operation.effect === 'delete',
        // A repeated deletion finds nothing left to do.
        idempotentHint: operation.effect === 'read' || operation.effect === 'delete',
        openWorldHint: mcp.openWorld ?? false,
      },
    },
  };
}

/** Potentially long lists in a result end early if it would be too large; a read can continue from there. */
function resultShape({ input, output, effect }: Operation): ResultShape {
  const schema = outputSchema(output);
  const lists = Object.entries(schema.properties ?? {}).flatMap(([field, { type, maxItems }]) =>
    type === 'array' && maxItems === undefined ? [field] : [],
  );
  const hasCursor = fieldsOf(inputSchema(input)).includes('cursor');
  const paging = hasCursor ? 'own' : effect === 'read' && lists.length > 0 ? 'made here' : 'none';
  return { schema, lists, paging };
}

const OPAQUE: JsonSchema = { type: 'array', items: { type: 'object' } };

/** Limits that callers rarely reach, and learn from the response if they do: the whole list has 24 kB. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'pattern',
  'format',
  'additionalProperties',
]);

/** What anybody expects of an optional argument. */
const isNothing = (value: unknown) => value === false || (Array.isArray(value) && value.length === 0);

/** `anyOf` of plain types is a list of types. */
function merged({ anyOf, ...rest }: JsonSchema): JsonSchema {
  if (!anyOf) return rest;
  const isPlain = anyOf.every(
    ({ type, ...more }) => typeof type === 'string' && Object.keys(more).every((key) => LEFT_OUT.has(key)),
  );
  return isPlain ? { type: anyOf.map(({ type }) => type as string), ...rest } : { anyOf, ...rest };
}

function brief(schema: JsonSchema): JsonSchema {
  const shorten = (value: unknown, isKeyword: boolean): unknown => {
    if (Array.isArray(value)) return value.map((entry) => shorten(entry, true));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(isKeyword ? merged(value as JsonSchema) : value).filter(
      ([key, inner]) => !(isKeyword && (LEFT_OUT.has(key) || (key === 'default' && isNothing(inner)))),
    );
    // Below `properties`, keys are field names, which can be anything.
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, shorten(inner, !(isKeyword && key === 'properties'))]),
    );
  };
  return shorten(schema, true) as JsonSchema;
}
