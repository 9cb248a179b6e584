import type { PipelineStage } from 'mongoose';

/**
 * The start of an aggregation that finds by an index and then filters what it found. MongoDB makes one match of both and plans as it likes. SecantusDB uses
 * an index only for a match whose fields are all in the index, from its start: with one field more it reads the whole collection, of all organizations.
 */
export function narrowed(byIndex: Record<string, unknown>, rest: Record<string, unknown>): PipelineStage.Match[] {
  return [byIndex, rest].flatMap((match) => {
    const given = Object.entries(match).filter(([, value]) => value !== undefined);
    return given.length > 0 ? [{ $match: Object.fromEntries(given) }] : [];
  });
}
