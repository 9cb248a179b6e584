import { ROLES } from '@worktrack/contracts/projects/column-roles';
import { describe, expect, test } from 'vitest';
import { aiMetadata, aiProcessingAfterMove } from './ai-flags.ts';

const SETS: Readonly<Record<string, boolean>> = { in_progress: true, review: false, done: false };

describe('isAiProcessing after a move', () => {
  test.each([...ROLES, null])('to %s', (column) => {
    expect(aiProcessingAfterMove(column, {})).toBe(SETS[column ?? '']);
    expect(aiProcessingAfterMove(column, { setAiProcessing: false })).toBe(SETS[column ?? '']);
    expect(aiProcessingAfterMove(column, { setAiProcessing: true })).toBe(true);
  });

  test('names the provider only with setAiProcessing', () => {
    expect(aiMetadata({ setAiProcessing: true, aiProvider: 'openai' })).toEqual({ aiProvider: 'openai' });
    expect(aiMetadata({ setAiProcessing: true })).toBeUndefined();
    expect(aiMetadata({ setAiProcessing: false, aiProvider: 'openai' })).toBeUndefined();
    expect(aiMetadata({ aiProvider: 'openai' })).toBeUndefined();
  });
});
