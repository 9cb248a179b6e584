import { ERRORS } from '@worktrack/contracts/errors';
import { PERMISSIONS } from '@worktrack/contracts/permissions';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { toolCatalogue } from '../../services/gateway/mcp/tools.ts';
import { openApiDocument } from '../../services/gateway/openapi/document.ts';

/** What clients see. A change to it is seen in review: `npm test -- -u` accepts it. */
describe('the surface is what was last reviewed', () => {
  const pretty = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
  const tools = toolCatalogue().visibleTo({ permissions: PERMISSIONS });

  test('the tools, in order', async () => {
    await expect(pretty(tools)).toMatchFileSnapshot('tools.json');
  });

  test('the OpenAPI document', async () => {
    // The release version is not a change of the surface.
    const document = openApiDocument();
    await expect(pretty({ ...document, info: { ...(document.info as object), version: '-' } })).toMatchFileSnapshot(
      'openapi.json',
    );
  });

  test('the OpenAPI document has nothing of which openapi-generator makes clients that fail, or ogen none', () => {
    const faulty: string[] = [];
    const { schemas, securitySchemes } = openApiDocument().components as Readonly<Record<string, object>>;
    const taken = new Set(Object.keys(schemas ?? {}).map((name) => name.toLowerCase()));
    for (const name of Object.keys(securitySchemes ?? {})) {
      if (taken.has(name.toLowerCase())) faulty.push(`${name}: ogen makes one type of a schema and of the way to sign in`);
    }
    JSON.stringify(openApiDocument(), (name, value) => {
      if (typeof value?.const === 'boolean') faulty.push(`${name}: Python compares with the text of its constant`);
      if (value?.anyOf && 'default' in value) faulty.push(`${name}: Go takes its default for a name`);
      return value;
    });
    expect(faulty).toEqual([]);
  });

  test('the errors and their statuses', async () => {
    const statuses = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
    await expect(pretty(statuses)).toMatchFileSnapshot('errors.json');
  });

  test('tools/list has at most 24 kB', () => {
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(24_000);
  });

  test('tools that are easily confused say which to use', () => {
    const alternatives: Record<string, readonly string[]> = {
      list_work_items: ['resolve_work_items', 'get_ideation_context'],
      resolve_work_items: ['get_work_item', 'list_work_items'],
      update_work_item: ['move_work_item', 'complete_ai_task'],
      move_work_item: ['complete_ai_task', 'complete_review', 'complete_validation'],
    };
    for (const [name, others] of Object.entries(alternatives)) {
      const { description } = tools.find((tool) => tool.name === name) ?? { description: '' };
      for (const other of others) expect(description, name).toContain(other);
    }
  });

  test('every tool has a title, all four annotations and a described purpose', () => {
    for (const { name, title, description, annotations, inputSchema } of tools) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
      expect(title.length, name).toBeGreaterThan(0);
      expect(description.length, name).toBeGreaterThan(0);
      expect(Object.keys(annotations).sort(), name).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ]);
      expect(inputSchema.type, name).toBe('object');
    }
  });

  test('the OpenAPI document is valid 3.1', async () => {
    const result = await new Validator().validate(structuredClone(openApiDocument()));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });
});
