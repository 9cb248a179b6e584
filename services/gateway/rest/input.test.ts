import type { OperationError } from '@worktrack/contracts/errors';
import { Id, paging } from '@worktrack/contracts/fields';
import { operation } from '@worktrack/contracts/operation';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inputReader, type RequestParts } from './input.ts';

const id = '0198c0de-0000-7000-8000-000000000001';
const list = operation({
  name: 'things.list',
  summary: 'List.',
  permissions: ['projects:read'],
  effect: 'read',
  input: z.strictObject({
    ...paging,
    projectId: Id,
    open: z.boolean().optional(),
    tags: z.array(z.string()).optional(),
    sizes: z.array(z.int()).optional(),
    parentId: Id.nullable().optional(),
    search: z.string().optional(),
  }),
  output: z.object({}),
  errors: [],
  rest: 'GET /api/projects/:projectId/things',
});
const update = operation({
  name: 'things.update',
  summary: 'Update.',
  permissions: ['projects:write'],
  effect: 'update',
  input: z.strictObject({ id: Id, title: z.string().optional(), version: z.int().optional() }),
  output: z.object({}),
  errors: [],
  rest: 'PATCH /api/things/:id',
});
const move = operation({
  name: 'things.move',
  summary: 'Move.',
  permissions: ['projects:write'],
  effect: 'update',
  input: z.strictObject({ id: Id, to: z.string() }),
  output: z.object({}),
  errors: [],
  rest: 'POST /api/things/:id/move',
});

const nothing: RequestParts = { params: {}, query: {}, body: undefined, ifMatch: undefined };
const read = (of: Parameters<typeof inputReader>[0], parts: Partial<RequestParts>) => ({
  ...inputReader(of)({ ...nothing, ...parts }),
});
function refusal(of: Parameters<typeof inputReader>[0], parts: Partial<RequestParts>) {
  try {
    read(of, { params: of === list ? { projectId: id } : { id }, ...parts });
  } catch (error) {
    return Object.fromEntries(
      ((error as OperationError).extra.details ?? []).map(({ path, message }) => [path, message]),
    );
  }
  throw new Error('It was taken.');
}

describe('path, query, body and If-Match become one input', () => {
  it('path and query, each text converted to the type that the schema asks for', () => {
    const query = { limit: '20', open: 'false', tags: 'a', sizes: ['1', '2'], parentId: 'null', search: '7' };
    expect(read(list, { params: { projectId: id }, query })).toEqual({
      projectId: id,
      limit: 20,
      open: false,
      tags: ['a'],
      sizes: [1, 2],
      parentId: null,
      search: '7',
    });
  });

  it.each<[string | string[], string[]]>([
    ['a,b', ['a', 'b']],
    [
      ['a,b', 'c'],
      ['a', 'b', 'c'],
    ],
    [String.raw`Lovelace\,Ada`, ['Lovelace,Ada']],
    ['Lovelace, Ada', ['Lovelace, Ada']],
  ])('several values (tags=%j), which in a query are repeated or have commas between them', (tags, expected) => {
    expect(read(list, { query: { tags } })).toEqual({ tags: expected });
  });

  it.each([
    ['limit', 'ten'],
    ['limit', ''],
    ['limit', '1e3'],
    ['open', 'yes'],
  ])('what does not convert (%s=%s) is left for the schema to refuse', (field, value) => {
    expect(read(list, { query: { [field]: value } })).toEqual({ [field]: value });
  });

  it('body and path', () => {
    expect(read(move, { params: { id }, body: { to: 'x' } })).toEqual({ id, to: 'x' });
  });

  it.each(['"3"', '3', ' "3" ', 'W/"3"'])('If-Match %s becomes the field version', (ifMatch) => {
    expect(read(update, { params: { id }, body: { title: 't' }, ifMatch })).toEqual({ id, title: 't', version: 3 });
  });

  it('If-Match * asks for no particular version', () => {
    expect(read(update, { params: { id }, body: {}, ifMatch: '*' })).toEqual({ id });
  });
});

describe('what is in the wrong place is refused, never silently lost', () => {
  it.each<[string, Parameters<typeof inputReader>[0], Partial<RequestParts>, Record<string, string>]>([
    ['a misspelt query field', list, { query: { limt: '1' } }, { limt: 'is not a known field; did you mean limit?' }],
    ['a single value given twice', list, { query: { limit: ['1', '2'] } }, { limit: 'is given 2 times; give it once' }],
    [
      'a path field in the query',
      list,
      { query: { projectId: id } },
      { projectId: 'is given by the path; leave it out' },
    ],
    ['a path field in the body', move, { body: { id, to: 'x' } }, { id: 'is given by the path; leave it out' }],
    ['a body field in the query', move, { query: { to: 'x' } }, { to: 'belongs in the JSON body, not in the query' }],
    [
      'an unknown query field of a POST',
      move,
      { query: { q: '1' }, body: { to: 'x' } },
      { q: 'is not a known field; known fields are to' },
    ],
    [
      'an unknown field in the body, where the path fields are not among the known ones',
      move,
      { body: { to: 'x', zzz: 1 } },
      { zzz: 'is not a known field; known fields are to' },
    ],
    [
      'an unknown field beside what the schema refuses',
      update,
      { params: { id: 'x' }, body: { titel: 't', version: 'a' } },
      {
        id: 'must be a UUID',
        version: 'must be a number, not a string',
        titel: 'is not a known field; did you mean title?',
      },
    ],
    ['a body that is a list', move, { body: [1] }, { '': 'the body must be a JSON object' }],
    ['a body that is a text', move, { body: 'x' }, { '': 'the body must be a JSON object' }],
    ['a bad If-Match', update, { ifMatch: '"abc"' }, { 'If-Match': 'must be one version number, such as "3"' }],
    ['several versions', update, { ifMatch: '"1", "2"' }, { 'If-Match': 'must be one version number, such as "3"' }],
    [
      'If-Match against another version in the body',
      update,
      { ifMatch: '"1"', body: { version: 2 } },
      { 'If-Match': 'gives a different version from the field version' },
    ],
    [
      'If-Match where there is no version',
      move,
      { ifMatch: '1', body: { to: 'x' } },
      { 'If-Match': 'is not supported on this route; leave it out' },
    ],
  ])('%s', (_, of, parts, details) => {
    expect(refusal(of, parts)).toEqual(details);
  });

  it('reading stops once there is more to report than is reported', () => {
    let read = 0;
    const fields = Array.from({ length: 90_000 }, (_, number) => `unknown${number}`);
    const body = new Proxy(
      {},
      {
        ownKeys: () => fields,
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
        get: () => {
          read++;
        },
      },
    );
    expect(Object.keys(refusal(move, { body }))).toHaveLength(20);
    expect(read).toBeLessThanOrEqual(21);
  });

  it('__proto__ in a query is an unknown field and reaches no prototype', () => {
    const query = JSON.parse('{"__proto__":"x"}');
    expect(Object.keys(refusal(list, { query }))).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});
