import { randomUUID } from 'node:crypto';
import { PERMISSIONS } from '@worktrack/contracts/permissions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolCatalogue } from '../../services/gateway/mcp/tools.ts';
import { connectMcp, type McpClient, refusalOf } from '../mcp/connect.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const tools = toolCatalogue()
  .visibleTo({ permissions: PERMISSIONS })
  .map(({ name, inputSchema }) => [name, inputSchema as Schema] as const);

let system: System;
let organization: TestOrganization;
let client: McpClient;
let item: { readonly id: string };
let before: unknown;

beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  client = await connectMcp('client 2.x, automatic', system.baseUrl, organization.apiKey, organization.projectId);
  const created = await client.call('create_task', { title: 'Stays as it is' });
  item = created.structuredContent as typeof item;
  before = await state();
});
afterAll(() => client.close());

/** Everything that a refused call could have changed. */
async function state() {
  const [items, events, usage, sources] = await Promise.all([
    organization.call('GET', '/api/work-items'),
    organization.call('GET', `/api/work-items/${item.id}/events`),
    organization.call('GET', '/api/ai-usage'),
    organization.call('GET', '/api/feedback/items'),
  ]);
  return [items.data, events.data, usage.data, sources.data];
}

/** Values that a property must not have, each with what is wrong with it. */
function wrongValues({ type, enum: values, maxLength, maximum, minimum, maxItems }: Schema): [string, unknown][] {
  const types = [type].flat();
  const wrong: [string, unknown][] = [];
  if (types.includes('string')) wrong.push(['an object for a string', { $gt: '' }], ['a number for a string', 7]);
  if (types.includes('integer')) wrong.push(['a text for a number', 'seven'], ['a fraction', 1.5], ['too much', 1e300]);
  if (types.includes('boolean')) wrong.push(['a text for a truth value', 'maybe']);
  if (types.includes('array')) wrong.push(['an object for a list', { 0: 'x' }], ['a list of lists', [[1]]]);
  if (types.includes('object')) wrong.push(['a text for an object', 'text'], ['a list for an object', []]);
  if (values) wrong.push(['none of the values', 'none of these']);
  if (maxLength !== undefined) wrong.push(['a text that is too long', 'x'.repeat(maxLength + 1)]);
  if (maximum !== undefined) wrong.push(['a number that is too large', maximum + 1]);
  if (minimum !== undefined) wrong.push(['a number that is too small', minimum - 1]);
  if (maxItems !== undefined)
    wrong.push(['a list that is too long', Array.from({ length: maxItems + 1 }, () => randomUUID())]);
  return wrong;
}

describe('no bad input to any tool changes anything, and each is refused with what to change', () => {
  test.each(tools)('%s', async (name, schema) => {
    const refuse = async (what: string, args: Record<string, unknown>, path: string) => {
      const refusal = refusalOf(await client.call(name, args));
      expect(refusal, `${name}: ${what}`).toMatchObject({ code: 'VALIDATION_FAILED' });
      const paths = (refusal.details ?? []).map((detail) => detail.path);
      expect(
        paths.some((given) => given === path || given.startsWith(`${path}.`)),
        `${name}: ${what} in ${paths}`,
      ).toBe(true);
      expect(JSON.stringify(refusal), `${name}: ${what}`).not.toMatch(/\bat .*\.[jt]s:|node_modules|Mongo/);
    };
    await Promise.all([
      ...(schema.required ?? []).map((required) => refuse(`without ${required}`, {}, required)),
      refuse('an unknown field', { nobodyKnowsIt: 1 }, 'nobodyKnowsIt'),
      ...Object.entries(schema.properties ?? {}).flatMap(([property, allowed]) =>
        wrongValues(allowed).map(([what, value]) => refuse(`${what} as ${property}`, { [property]: value }, property)),
      ),
    ]);
  });

  test('nothing has changed', async () => {
    expect(await state()).toEqual(before);
  });
});
