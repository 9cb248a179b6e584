import { MAX_METADATA_BYTES, type Metadata } from '@worktrack/contracts/metadata';
import type { FailingScope } from '../calls/scope.ts';
import { mergeMetadata } from './merge-metadata.ts';

/** The given metadata, with the parameters that are stored in it. undefined: none given. */
export function metadataPatch({
  metadata,
  dependsOn,
  ideaId,
}: {
  readonly metadata?: Metadata | undefined;
  readonly dependsOn?: readonly string[] | undefined;
  readonly ideaId?: string | null | undefined;
}): Metadata | undefined {
  if (metadata === undefined && dependsOn === undefined && ideaId === undefined) return undefined;
  return { ...metadata, ...(dependsOn && { dependsOn }), ...(ideaId !== undefined && { ideaId }) };
}

/** Metadata after a merge, or VALIDATION_FAILED if it has become too large. */
export function merged({ fail }: FailingScope<'VALIDATION_FAILED'>, current: Metadata, patch: Metadata): Metadata {
  const metadata = mergeMetadata(current, patch);
  const bytes = bytesOf(metadata);
  if (bytes > MAX_METADATA_BYTES) {
    const message = `must be at most ${MAX_METADATA_BYTES} bytes as JSON after the merge; it would be ${bytes}`;
    throw fail('VALIDATION_FAILED', `metadata ${message}. Remove keys with null, or keep large texts as attachments.`, {
      details: [{ path: 'metadata', message }],
    });
  }
  return metadata;
}

export function isTooLargeAfter(current: Metadata, patch: Metadata): boolean {
  return bytesOf(mergeMetadata(current, patch)) > MAX_METADATA_BYTES;
}

const bytesOf = (metadata: Metadata) => Buffer.byteLength(JSON.stringify(metadata));
