import { STANDARD_COLUMNS } from '@worktrack/contracts/projects/board';
import { describe, expect, test } from 'vitest';
import { aiMetadata, aiProcessingAfterMove } from './ai-flags.ts';

const SETS: Readonly<Record<string, boolean>> = { 'In Progress': true, Review: false, Done: false };

describe('isAiProcessing after a move', () => {
  test.each([...STANDARD_COLUMNS, 'Somewhere else'])('to %s', (column) => {
    expect(aiProcessingAfterMove(column, {})).toBe(SETS[column]);
    expect(aiProcessingAfterMove(column, { setAiProcessing: false })).toBe(SETS[column]);
    expect(aiProcessingAfterMove(column, { setAiProcessing: true })).toBe(true);
  });

  test('names the provider only with setAiProcessing', () => {
    expect(aiMetadata({ setAiProcessing: true, aiProvider: 'openai' })).toEqual({ aiProvider: 'openai' });
    expect(aiMetadata({ setAiProcessing: true })).toBeUndefined();
    expect(aiMetadata({ setAiProcessing: false, aiProvider: 'openai' })).toBeUndefined();
    expect(aiMetadata({ aiProvider: 'openai' })).toBeUndefined();
  });
});
