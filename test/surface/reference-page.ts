import { ERRORS, IMPLICIT_ERRORS } from '@worktrack/contracts/errors';
import type { Operation } from '@worktrack/contracts/operation';
import { PERMISSIONS, ROLE_PERMISSIONS, ROLES } from '@worktrack/contracts/permissions';
import { described } from '@worktrack/contracts/described';
import { z } from 'zod';

type Schema = Exclude<z.core.JSONSchema._JSONSchema, boolean>;

/** The reference of all routes and tools as Markdown, from the contracts alone. */
export function referencePage(operations: readonly Operation[]): string {
  const shown = operations.filter((operation) => operation.rest ?? operation.mcp);
  const areas = Map.groupBy(shown, (operation) => operation.name.split('.')[0] ?? '');
  return [
    '# Reference',
    '',
    'All routes and tools, generated from the contracts (updated by `npm test -- -u`). How to connect: [mcp-clients.md](mcp-clients.md); the feedback widget: [widget.md](widget.md); feedback from a server: [feedback.md](feedback.md).',
    '',
    ...envelope(),
    ...errorTable(),
    ...permissionTable(),
    ...[...areas].flatMap(([area, members]) => [`## ${area}`, '', ...members.flatMap(entry)]),
  ].join('\n');
}

function envelope(): string[] {
  return [
    '## Requests and responses',
    '',
    'REST: `Authorization: Bearer <key>`, or in a browser a [console session](console.md#sessions). A response is `{ "success": true, "data": … }` or `{ "success": false, "error": { "code", "reason"?, "message", "details"?, "requestId" } }`. If the code alone does not tell the cause of a refusal, the word `reason` does. Creation returns 201, everything else 200. Every response has `X-Request-Id`.',
    '',
    'Tools: the same record as `structuredContent` and as JSON text; a failure has `isError: true` and `{ "error": { "code", "message", "details"? } }`.',
    '',
    'Each key has a rate limit, 6 000 requests a minute unless it was created with another one (`rateLimit`). Every response has `RateLimit` and `RateLimit-Policy`; beyond the limit it is 429 `RATE_LIMITED` with `Retry-After`.',
    '',
    'Writes accept `Idempotency-Key` (1 to 255 printable characters; on a tool call also `_meta["worktrack/idempotencyKey"]`). The same key and request within 24 hours take effect once and return the first response, with `Idempotency-Replayed: true`. The order of fields does not matter, nor whether an item is given by UUID or task ID. The project of an MCP session matters, and so do the projects that a key or its user is limited to. Who asks matters where it is about the caller alone: watches, notifications, views, sign-in codes, the rotation of the key itself.',
    '',
    'Where a `version` is accepted, REST also accepts it as `If-Match`; a stale one is 409 `CONFLICT` with the current record in `error.current`. Unknown fields are rejected.',
    '',
  ];
}

function errorTable(): string[] {
  const rows = Object.entries(ERRORS).map(([code, { status, meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`);
  return ['## Errors', '', '| Status | Code | Meaning |', '|---|---|---|', ...rows, ''];
}

function permissionTable(): string[] {
  const rows = PERMISSIONS.map(
    (permission) =>
      `| \`${permission}\` | ${ROLES.map((role) => (ROLE_PERMISSIONS[role].includes(permission) ? 'yes' : '')).join(' | ')} |`,
  );
  return ['## Permissions', '', `| Permission | ${ROLES.join(' | ')} |`, `|---|${ROLES.map(() => '---|').join('')}`, ...rows, ''];
}

function entry(operation: Operation): string[] {
  const input = z.toJSONSchema(operation.input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      jsonSchema.description ??= described.get(zodSchema)?.description;
      // As in the description of the API (services/gateway/schema.ts).
      if (zodSchema instanceof z.ZodDefault) jsonSchema.default ??= zodSchema.def.defaultValue;
    },
  }) as Schema;
  const output = z.toJSONSchema(operation.output, { io: 'output', unrepresentable: 'any' }) as Schema;
  const errors = [...operation.errors, ...IMPLICIT_ERRORS].map((code) => `\`${code}\``).join(', ');
  return [
    `### ${operation.mcp ? `\`${operation.mcp.tool}\`` : operation.name}`,
    '',
    operation.summary,
    ...(operation.mcp?.description ? ['', operation.mcp.description] : []),
    '',
    ...(operation.rest ? [`- REST: \`${operation.rest}\``] : []),
    ...(operation.mcp ? [`- Tool: \`${operation.mcp.tool}\`${omitted(operation)}`] : []),
    `- Permissions: ${permissionsOf(operation)}`,
    `- Errors: ${errors}`,
    '',
    ...inputTable(input),
    `Result: \`${typeOf(output, definitionsOf(output))}\``,
    '',
    ...example(operation),
  ];
}

/** Collapsed: two thirds of the page are examples. */
function example({ example }: Operation): string[] {
  if (!example) return [];
  const block = (value: unknown) => ['```json', JSON.stringify(value, null, 2), '```', ''];
  return [
    '<details><summary>Example</summary>',
    '',
    ...block(example.input),
    'returns',
    '',
    ...block(example.output),
    '</details>',
    '',
  ];
}

function permissionsOf({ permissions, roles }: Operation): string {
  if (permissions === 'internal') throw new Error('An internal operation is on no page.');
  const quoted = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ');
  const needed = permissions.length === 0 ? 'none' : quoted(permissions);
  return roles ? `${needed}; the user must be ${quoted(roles)}` : needed;
}

function omitted(operation: Operation): string {
  const fields = operation.mcp?.omit ?? [];
  return fields.length > 0 ? ` (without ${fields.map((field) => `\`${field}\``).join(', ')})` : '';
}

function inputTable(input: Schema): string[] {
  const fields = Object.entries(input.properties ?? {}) as [string, Schema][];
  if (fields.length === 0) return [];
  const definitions = definitionsOf(input);
  const rows = fields.map(([name, schema]) => {
    const required = input.required?.includes(name) ? 'yes' : '';
    const preset = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``;
    return `| \`${name}\` | ${cell(typeOf(schema, definitions))} | ${required} | ${preset} | ${cell([limits(schema), schema.description].filter(Boolean).join('; '))} |`;
  });
  return ['| Field | Type | Required | Default | Notes |', '|---|---|---|---|---|', ...rows, ''];
}

type Definitions = Readonly<Record<string, Schema>>;

function definitionsOf(schema: Schema): Definitions {
  return (schema.$defs ?? {}) as Definitions;
}

/** A schema in TypeScript notation, on one line. */
function typeOf(schema: Schema, definitions: Definitions): string {
  if (schema.$ref) {
    const target = definitions[schema.$ref.replace('#/$defs/', '')];
    return target ? typeOf(target, definitions) : 'object';
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (choices) return choices.map((choice) => typeOf(choice, definitions)).join(' | ');
  if (schema.type === 'array') {
    const item = schema.items ? typeOf(schema.items as Schema, definitions) : 'any';
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type === 'object' && schema.properties) {
    const fields = Object.entries(schema.properties as Record<string, Schema>).map(
      ([name, field]) => `${name}${schema.required?.includes(name) ? '' : '?'}: ${typeOf(field, definitions)}`,
    );
    return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}';
  }
  const names = schema.type === undefined ? ['any'] : [schema.type].flat();
  return names.join(' | ');
}

function limits(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const parts = [
    range(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
  ];
  return parts.filter(Boolean).join(', ');
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (most === undefined) return least ? `at least ${least}${unit}` : '';
  return `${least ? `${least} to ${most}` : `at most ${most}`}${unit}`;
}

/** A pipe would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
