import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { validationFailed } from './validation.ts';

const schema = z.strictObject({
  id: z.uuid(),
  limit: z.int().max(100).optional(),
  metadata: z.strictObject({ review: z.strictObject({ summary: z.string() }).optional() }).optional(),
  ids: z.array(z.string().min(2)).optional(),
  position: z.union([z.enum(['first', 'last']), z.strictObject({ after: z.uuid() })]).optional(),
});
const id = '0190a000-0000-7000-8000-000000000001';

describe('a refused input names what to change', () => {
  test.each<[unknown, string[]]>([
    [{}, ['id']],
    [{ id: 7 }, ['id']],
    [{ id, limit: 101 }, ['limit']],
    [{ id: 'x', limit: 'y' }, ['id', 'limit']],
    [{ id, colour: 1, size: 2 }, ['colour', 'size']],
    [{ id, metadata: { review: { summary: 7 } } }, ['metadata.review.summary']],
    [{ id, metadata: { revue: {} } }, ['metadata.revue']],
    [{ id, ids: ['ok', 'x', 'ok', ''] }, ['ids.1', 'ids.3']],
    [{ id, position: { after: 'x' } }, ['position.after']],
    [{ id, position: 'middle' }, ['position']],
    ['no object', ['']],
    [null, ['']],
  ])('%j', (input, paths) => {
    const result = schema.safeParse(input);
    const error = validationFailed(result.error?.issues ?? []);
    expect(error.code).toBe('VALIDATION_FAILED');
    expect(error.extra.details?.map(({ path }) => path)).toEqual(paths);
    for (const { message } of error.extra.details ?? []) expect(message).not.toBe('');
    expect(error.message).toContain(paths[0] || 'The input');
  });
});
