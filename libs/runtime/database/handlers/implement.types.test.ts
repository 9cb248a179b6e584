import { operation, serviceContract } from '@worktrack/contracts/operation';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ReadContext, WriteContext } from './contexts.ts';
import { implement } from './implement.ts';

const contract = serviceContract('sample', [
  operation({
    name: 'sample.get',
    summary: 'Reads.',
    permissions: ['work-items:read'],
    effect: 'read',
    input: z.strictObject({ id: z.string() }),
    output: z.object({ id: z.string(), title: z.string() }),
    errors: ['NOT_FOUND'],
  }),
  operation({
    name: 'sample.rename',
    summary: 'Writes.',
    permissions: ['work-items:write'],
    effect: 'update',
    input: z.strictObject({ id: z.string(), title: z.string() }),
    output: z.object({ id: z.string(), title: z.string() }),
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
]);

const get = async ({ id }: { id: string }) => ({ id, title: 'a title' });
const rename = async (input: { id: string; title: string }, _context: WriteContext) => input;

/** A rule that may fail with two codes: only an operation that declares both can use it. */
async function ruleThatMayConflict(context: ReadContext<'NOT_FOUND' | 'CONFLICT'>): Promise<never> {
  throw context.fail('CONFLICT', 'Read it again.');
}

// What is guaranteed here is checked by the compiler: an `@ts-expect-error` that expects nothing is an error of `pnpm check`.
describe('a service does not compile', () => {
  test('when a handler is missing', () => {
    // @ts-expect-error 'sample.rename' has no handler
    const build = () => implement(contract, { 'sample.get': get });
    expect(build).toThrow('sample.rename');
  });

  test('when a handler fails with a code that its operation does not declare', () => {
    const handlers = implement(contract, {
      'sample.get': async (_input, context) => {
        // @ts-expect-error 'CONFLICT' is not declared by sample.get
        throw context.fail('CONFLICT', 'Never.');
      },
      'sample.rename': async (_input, context) => {
        throw context.fail('CONFLICT', 'Declared.');
      },
    });
    expect(Object.keys(handlers)).toEqual(['sample.get', 'sample.rename']);
  });

  test('when a rule that it uses may fail with a code that its operation does not declare', () => {
    const handlers = implement(contract, {
      // @ts-expect-error sample.get does not declare 'CONFLICT'
      'sample.get': (_input, context) => ruleThatMayConflict(context),
      'sample.rename': (_input, context) => ruleThatMayConflict(context),
    });
    expect(Object.keys(handlers)).toEqual(['sample.get', 'sample.rename']);
  });

  test('when an answer forgets a field', () => {
    const handlers = implement(contract, {
      // @ts-expect-error `title` is missing
      'sample.get': async ({ id }) => ({ id }),
      'sample.rename': rename,
    });
    expect(Object.keys(handlers)).toEqual(['sample.get', 'sample.rename']);
  });
});
