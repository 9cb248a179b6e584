import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose, { type ClientSession, type mongo } from 'mongoose';
import type { WriteScope } from '../calls/scope.ts';
import type { Span } from './range.ts';
import { UnnamedContentModel } from './unnamed-content.model.ts';

const BUCKET = 'attachmentContent';

export interface StoredContent {
  readonly contentId: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Thrown while content is still arriving; what was already stored has been removed. */
export class ContentTooLarge extends Error {}

/**
 * Streams bytes into GridFS, which is not part of a transaction. Until an attachment names the content, it is listed as unnamed, and if that does not change it
 * is removed later.
 * @throws ContentTooLarge as soon as there are more than `maxBytes`
 */
export async function storeContent(bytes: AsyncIterable<Buffer>, maxBytes: number): Promise<StoredContent> {
  const contentId = uuidv7();
  await UnnamedContentModel.create({ _id: contentId, since: new Date() });
  const hash = createHash('sha256');
  let sizeBytes = 0;
  async function* measured(): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new ContentTooLarge();
      hash.update(chunk);
      yield chunk;
    }
  }
  // The driver types ids as ObjectId; GridFS itself accepts any.
  const sink = bucket().openUploadStreamWithId(contentId as unknown as mongo.ObjectId, contentId);
  try {
    await pipeline(measured(), sink);
  } catch (error) {
    await discardContent(contentId);
    throw error;
  }
  return { contentId, sizeBytes, sha256: hash.digest('hex') };
}

/** @param span both ends inclusive; everything if absent */
export function readContent(contentId: string, span?: Span): AsyncIterable<Uint8Array> {
  if (span && span.end < span.start) return Readable.from([]);
  // In GridFS the end is exclusive.
  const options = span ? { start: span.start, end: span.end + 1 } : {};
  return bucket().openDownloadStream(contentId as unknown as mongo.ObjectId, options);
}

/** In the transaction that creates the attachment: from now on the content is named. */
export async function keepContent(contentId: string, tx: ClientSession): Promise<void> {
  const { deletedCount } = await UnnamedContentModel.deleteOne({ _id: contentId }, { session: tx });
  if (deletedCount !== 1) throw new Error(`Content ${contentId} was discarded before its attachment was made.`);
}

/** Together with the write that deletes the attachments. */
export function releaseContent({ writes }: Pick<WriteScope, 'writes'>, contentIds: readonly string[]): void {
  const since = new Date();
  for (const _id of contentIds) writes.insert(UnnamedContentModel, { _id, since });
}

/** Including chunks without a file: an interrupted upload has written only chunks. */
async function discardContent(contentId: string): Promise<void> {
  const database = connectedDatabase();
  await database.collection(`${BUCKET}.files`).deleteOne({ _id: contentId as unknown as mongo.ObjectId });
  await database.collection(`${BUCKET}.chunks`).deleteMany({ files_id: contentId });
  await UnnamedContentModel.deleteOne({ _id: contentId });
}

/** After an upload that came to nothing. The commit that was done before may have been its own, sent again: then the content is named. */
export async function discardUnlessNamed(contentId: string): Promise<void> {
  if (await UnnamedContentModel.exists({ _id: contentId })) await discardContent(contentId);
}

/**
 * Removes content that no attachment names: from deleted attachments, and from uploads whose service died.
 * @param before spares content that may still get its attachment
 * @returns how many were removed
 */
export async function discardUnnamedContent(before: Date): Promise<number> {
  const unnamed = await UnnamedContentModel.find({ since: mongoose.trusted({ $lt: before }) }, { _id: 1 }).lean();
  for (const { _id } of unnamed) await discardContent(_id);
  return unnamed.length;
}

function connectedDatabase(): mongo.Db {
  const { db } = mongoose.connection;
  if (!db) throw new Error('The database is not connected.');
  return db;
}

function bucket(): mongo.GridFSBucket {
  return new mongoose.mongo.GridFSBucket(connectedDatabase(), { bucketName: BUCKET });
}
