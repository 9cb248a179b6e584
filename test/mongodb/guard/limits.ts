import mongoose from 'mongoose';
import {
  type CommandState,
  type Document,
  filtersOf,
  isDocument,
  nameOf,
  page,
  pipelinesOf,
  type Violation,
  writesOf,
} from './command.ts';

const LIMITS = page('MongoDB Limits and Thresholds', 'reference/limits');

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const MAX_MESSAGE_BYTES = 48_000_000;
const MAX_BATCH = 100_000;
const MAX_STAGES = 1_000;
const MAX_DEPTH = 100;
/** A document takes at least 7 bytes: its type, the end of its name, its length and its end. So do one write and one stage. */
const LEAST_BYTES_OF_A_DOCUMENT = 7;

const sizeOf = (document: object): number =>
  mongoose.mongo.BSON.calculateObjectSize(document, { ignoreUndefined: true });

/** Sizes, numbers and depths. What an update makes of a stored document is not known here. */
export function limitViolations(command: Document, { bytes, levels }: CommandState = {}): Violation[] {
  const isSmall = bytes !== undefined && bytes < MAX_STAGES * LEAST_BYTES_OF_A_DOCUMENT;
  if (isSmall && levels !== undefined && levels <= MAX_DEPTH) return [];
  const found: Violation[] = [];
  const add = (rule: string) => found.push({ rule, page: LIMITS });
  const writes = writesOf(command);

  if (writes.length > MAX_BATCH) add(`${writes.length} writes in one command: at most ${MAX_BATCH}`);
  const documents = [...writes.map(({ change }) => change), ...filtersOf(command)].filter(isDocument);
  const measured = bytes === undefined || bytes > MAX_DOCUMENT_BYTES;
  const sizes = measured ? documents.map(sizeOf) : [];
  const pipelines = pipelinesOf(command);
  const pipelineBytes = measured && Array.isArray(command.pipeline) ? sizeOf({ pipeline: command.pipeline }) : 0;
  const largest = sizes.reduce((most, bytes) => Math.max(most, bytes), pipelineBytes);
  if (largest > MAX_DOCUMENT_BYTES) add(`a document or query of ${largest} bytes: at most ${MAX_DOCUMENT_BYTES}`);
  const allBytes = sizes.reduce((sum, bytes) => sum + bytes, pipelineBytes);
  if (allBytes > MAX_MESSAGE_BYTES) add(`${nameOf(command)} of ${allBytes} bytes: at most ${MAX_MESSAGE_BYTES}`);
  for (const pipeline of pipelines) {
    if (pipeline.length > MAX_STAGES) add(`a pipeline of ${pipeline.length} stages: at most ${MAX_STAGES}`);
  }
  if ([...documents, ...pipelines].some((each) => depthOf(each, MAX_DEPTH + 1) > MAX_DEPTH)) {
    add(`a document nested deeper than ${MAX_DEPTH} levels`);
  }
  return found;
}

/** Levels of documents and arrays, counted no further than `enough`. */
function depthOf(value: unknown, enough: number): number {
  if (enough === 0 || (!Array.isArray(value) && !isDocument(value))) return 0;
  let deepest = 0;
  for (const each of Object.values(value)) {
    deepest = Math.max(deepest, depthOf(each, enough - 1));
    if (deepest === enough - 1) break;
  }
  return deepest + 1;
}
