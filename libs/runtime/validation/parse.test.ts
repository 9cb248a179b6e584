import { OperationError } from '@worktrack/contracts/errors';
import { Id, paging } from '@worktrack/contracts/fields';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseInput } from './parse.ts';

const schema = z.strictObject({
  ...paging,
  id: Id.optional(),
  title: z.string().min(1).max(500).optional(),
  type: z.enum(['task', 'story', 'epic']).optional(),
  ids: z.array(Id).min(1).max(500).optional(),
  when: z.iso.datetime().optional(),
  email: z.email().optional(),
  position: z.union([z.literal('first'), z.literal('last'), z.strictObject({ after: Id })]).optional(),
  metadata: z.strictObject({ review: z.strictObject({ summary: z.string() }).optional() }).optional(),
  flag: z.boolean().optional(),
  state: z.enum(['working', 'awaiting_input']).optional(),
});

function detailsOf(input: unknown, of: z.ZodType = schema): Record<string, string> {
  try {
    parseInput(of, input);
  } catch (error) {
    if (error instanceof OperationError && error.code === 'VALIDATION_FAILED') {
      return Object.fromEntries((error.extra.details ?? []).map(({ path, message }) => [path, message]));
    }
    throw error;
  }
  throw new Error('The input was taken.');
}

it('a number beyond all that can be counted is told the bounds of its field alone', () => {
  expect(() => parseInput(schema, { limit: 1e300 })).toThrow(/^limit: must be at most 100\.$/);
  expect(() => parseInput(schema, { page: -1e300 })).toThrow(/^page: must be at least 1\.$/);
});

describe('a refused input names the field by its dotted path and says what to change', () => {
  const uuid = '0198c0de-0000-7000-8000-000000000001';
  it.each<[string, unknown, Record<string, string>]>([
    ['a number over its maximum names the maximum', { limit: 101 }, { limit: 'must be at most 100' }],
    ['a number under its minimum', { page: 0 }, { page: 'must be at least 1' }],
    ['a fraction', { page: 1.5 }, { page: 'must be a whole number, not a fraction' }],
    ['a wrong type', { title: 7 }, { title: 'must be a string, not a number' }],
    ['half of a character', { title: 'a \ud800' }, { title: 'must not contain lone surrogates' }],
    [
      'half of a character inside',
      { metadata: { review: { summary: '\udc00' } } },
      { 'metadata.review.summary': 'must not contain lone surrogates' },
    ],
    ['null', { title: null }, { title: 'must be a string, not null' }],
    ['an empty string', { title: '' }, { title: 'must not be empty' }],
    ['a long string', { title: 'x'.repeat(501) }, { title: 'must have at most 500 characters' }],
    ['an id', { id: 'nope' }, { id: 'must be a UUID' }],
    ['an id in a list', { ids: [uuid, 'x'] }, { 'ids.1': 'must be a UUID' }],
    ['an empty list', { ids: [] }, { ids: 'must have at least 1 entry' }],
    ['a time', { when: 'yesterday' }, { when: 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z' }],
    ['an address', { email: 'x' }, { email: 'must be an e-mail address' }],
    ['a boolean', { flag: 'yes' }, { flag: 'must be true or false, not a string' }],
    [
      'a value out of a set, with the one that was meant',
      { type: 'storry' },
      { type: 'must be one of "task", "story", "epic"; did you mean "story"?' },
    ],
    [
      'a value out of a set, by a part of the one that was meant',
      { state: 'waiting' },
      { state: 'must be one of "working", "awaiting_input"; did you mean "awaiting_input"?' },
    ],
    [
      'a value that is given twice in a query',
      { type: ['task', 'task'] },
      { type: 'must be one of "task", "story", "epic", not an array' },
    ],
    ['a number that is none', { title: Number.POSITIVE_INFINITY }, { title: 'must be a string, not a number' }],
    ['a number beyond all doubles', { limit: Number.NEGATIVE_INFINITY }, { limit: 'is too large a number' }],
    ['a missing field inside', { metadata: { review: {} } }, { 'metadata.review.summary': 'is required (string)' }],
    [
      'an unknown field inside',
      { metadata: { review: { summary: 's', sumary: 't' } } },
      { 'metadata.review.sumary': 'is not a known field; did you mean summary?' },
    ],
    [
      'a union that no branch takes',
      { position: 'middle' },
      { position: 'must be "first" or "last" or an object with after' },
    ],
    [
      'an object that no branch of a union takes',
      { position: { before: uuid } },
      { 'position.after': 'is required (string)', 'position.before': 'is not a known field; known fields are after' },
    ],
    [
      'an object with more than its branch of a union knows',
      { position: { after: uuid, before: uuid } },
      { 'position.before': 'is not a known field; known fields are after' },
    ],
    [
      'unknown fields, each with the known ones of its own place',
      { position: { aftr: uuid }, titel: 'x' },
      {
        'position.after': 'is required (string)',
        'position.aftr': 'is not a known field; did you mean after?',
        titel: 'is not a known field; did you mean title?',
      },
    ],
    ['a union whose branch is nearly right', { position: { after: 'x' } }, { 'position.after': 'must be a UUID' }],
    ['an input that is not an object', [], { '': 'must be an object, not an array' }],
  ])('%s', (_, input, details) => {
    expect(detailsOf(input)).toEqual(details);
  });

  it.each([
    ['Limit', 'limit'],
    ['e_mail', 'email'],
    ['titel', 'title'],
    ['meta', 'metadata'],
  ])('an unknown field %s is answered with the nearest known one, %s', (given, meant) => {
    expect(detailsOf({ [given]: 1 })).toEqual({ [given]: `is not a known field; did you mean ${meant}?` });
  });

  it('an unknown field that resembles nothing is answered with the known ones', () => {
    expect(detailsOf({ zzz: 1 }, z.strictObject({ name: z.string().optional() }))).toEqual({
      zzz: 'is not a known field; known fields are name',
    });
  });

  it('the known ones are listed once, however many fields are unknown', () => {
    const input = { zzz: 1, nmae: 1, yyy: 1 };
    expect(detailsOf(input, z.strictObject({ name: z.string().optional() }))).toEqual({
      zzz: 'is not a known field; known fields are name',
      nmae: 'is not a known field; did you mean name?',
      yyy: 'is not a known field',
    });
  });

  it('the message spells out the first faults, and long field names are not repeated in full', () => {
    const input = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${'q'.repeat(300)}${at}`, 1]));
    try {
      parseInput(schema, input);
      expect.unreachable();
    } catch (error) {
      const { message, extra } = error as OperationError;
      expect(extra.details).toHaveLength(20);
      expect(message).toMatch(/and more than 17 more, see details for the first 20\.$/);
      expect(message.length).toBeLessThan(1_000);
    }
  });

  it('up to 20 faults are counted, and not reported as more', () => {
    const input = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`q${at}`, 1]));
    expect(() => parseInput(schema, input)).toThrow(/and 17 more, see details\.$/);
  });

  it('validation ends there: any further input is not described, nor repeated at length', () => {
    let described = 0;
    const counting = z.strictObject({
      ids: z.array(z.string().refine(() => false, { error: () => `is wrong ${++described}` })).max(500),
    });
    const unknown = Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [`${at}`, 1]));
    expect(Object.keys(detailsOf({ ids: ['x'], ...unknown }, counting))).toHaveLength(20);
    expect(detailsOf({ ids: Array(200_000).fill('x') }, counting)).toEqual({ ids: 'must have at most 500 entries' });
    expect(described).toBe(1);
  });

  it('text that is compared with names is not compared if it is longer than any of them', () => {
    expect(detailsOf({ type: 'storry'.repeat(100_000) })).toEqual({ type: 'must be one of "task", "story", "epic"' });
  });

  it('a path is reported up to a certain length', () => {
    const free = z.strictObject({ metadata: z.unknown().refine(() => false, { path: ['k'.repeat(1_000_000)] }) });
    expect(Object.keys(detailsOf({ metadata: 1 }, free))).toEqual([`metadata.${'k'.repeat(60)}…`]);
  });
});

describe('what JSON can express and no store gives back is refused wherever it is', () => {
  const free = z.strictObject({ metadata: z.unknown() });
  it.each<[string, string, Record<string, string>]>([
    ['a number beyond all doubles', '{"metadata":{"n":[1,-1e400]}}', { 'metadata.n.1': 'is too large a number' }],
    ['half of a character in a name', '{"metadata":{"\\ud800":1}}', { metadata: 'must not contain lone surrogates' }],
  ])('%s', (_what, body, details) => {
    expect(detailsOf(JSON.parse(body), free)).toEqual(details);
  });

  it('whole characters beyond the first plane and the largest double are kept', () => {
    const input = { metadata: { '💡': '💡', n: Number.MAX_VALUE } };
    expect(parseInput(free, input)).toEqual(input);
  });
});
