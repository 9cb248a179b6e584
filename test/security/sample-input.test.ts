import { allOperations } from '@worktrack/contracts/catalogue';
import { describe, expect, test } from 'vitest';
import { idFields, sampleInput } from './sample-input.ts';

const reachable = allOperations().filter((operation) => operation.rest ?? operation.mcp);
const AN_ID = '018f2d5e-7c3a-7000-8000-000000000000';

describe('the security suite covers every operation from its contract alone', () => {
  test.each(reachable.map((operation) => [operation.name, operation] as const))(
    'it makes an input that %s accepts',
    (_name, operation) => {
      const parsed = operation.input.safeParse(sampleInput(operation, () => AN_ID));
      expect(parsed.error?.issues ?? []).toEqual([]);
    },
  );

  test('it finds every field of a path that names a record', () => {
    const missed = reachable.flatMap((operation) => {
      const found = idFields(operation).map((field) => field.name);
      const placeholders = [...(operation.rest ?? '').matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');
      return placeholders.filter((name) => !found.includes(name)).map((name) => `${operation.name}: ${name}`);
    });
    expect(missed).toEqual([]);
  });
});
