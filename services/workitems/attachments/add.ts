import { type Attachment, MAX_ATTACHMENT_BYTES } from '@worktrack/contracts/attachments/attachment';
import {
  type addedBefore as addedBeforeOperation,
  MAX_ATTACHMENTS,
  addAttachment as operation,
} from '@worktrack/contracts/attachments/operations';
import { OperationError } from '@worktrack/contracts/errors';
import type { FailureOf, Input } from '@worktrack/contracts/operation';
import type { ReceivingContext } from '@worktrack/runtime/database/handlers/contexts';
import { AlreadyDone } from '@worktrack/runtime/database/handlers/effects.repository';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { answerBefore } from '@worktrack/runtime/database/handlers/run-write';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mime from 'mime';
import { requireItem } from '../items/items.repository.ts';
import { indexSaid } from '../search/search.repository.ts';
import { recordOn } from '../writes/record-on.ts';
import { attachmentsOf, insertAttachment, type NewAttachment, toAttachment } from './attachments.repository.ts';
import {
  ContentTooLarge,
  discardUnlessNamed,
  keepContent,
  type StoredContent,
  storeContent,
} from './content.repository.ts';
import { numberedFileName, safeFileName } from './file-name.ts';

const MEBIBYTE = 1024 * 1024;
const UNKNOWN_TYPE = 'application/octet-stream';

type Context = ReceivingContext<FailureOf<typeof operation>, Attachment>;

/** Stores the content first, then names it: the attachment and its event are one transaction, visible together or not at all. */
export async function addAttachment(
  input: Input<typeof operation>,
  bytes: AsyncIterable<Buffer>,
  context: Context,
): Promise<Attachment> {
  // Before receiving 25 MiB in vain; checked again in the transaction.
  await requireItem(context, input.workItemId);
  const content = await receive(bytes, context);
  try {
    return await context.commit(content.sha256, async (committing) => {
      const scope = { ...context, ...committing };
      const item = await requireItem(scope, input.workItemId);
      // Serialises all uploads to this item, so that the name chosen here stays free, and the last place is taken once.
      const taken = new Set((await attachmentsOf(scope, item._id)).map(({ fileName }) => fileName));
      if (taken.size >= MAX_ATTACHMENTS) {
        throw context.fail(
          'CONFLICT',
          `${item.taskId} has ${MAX_ATTACHMENTS} attachments, which is the limit. Delete some, or attach the file to another item.`,
          { reason: 'limit' },
        );
      }
      const fileName = freeName(safeFileName(input.fileName), taken);
      const attachment: NewAttachment = {
        _id: uuidv7(),
        workItemId: item._id,
        fileName,
        mimeType: input.mimeType ?? mime.getType(fileName) ?? UNKNOWN_TYPE,
        sizeBytes: content.sizeBytes,
        sha256: content.sha256,
        uploadedBy: input.uploadedBy ?? null,
        metadata: input.metadata ?? {},
        contentId: content.contentId,
        createdAt: new Date(),
      };
      recordOn(scope, item, {
        type: 'work_item.attachment_added',
        data: { attachmentId: attachment._id, fileName },
      });
      insertAttachment(scope, attachment);
      await indexSaid(scope, item, fileName);
      await keepContent(content.contentId, scope.tx);
      return toAttachment(attachment);
    });
  } catch (error) {
    // After a lost database reply nobody knows; if it is unnamed, it is removed later.
    if (error instanceof AlreadyDone || error instanceof OperationError) await discardUnlessNamed(content.contentId);
    throw error;
  }
}

export const addedBefore: Read<typeof addedBeforeOperation> = async ({ idempotencyKey, upload }, { caller }) => {
  return (await answerBefore(operation, { idempotencyKey, caller }, ({ sha256 }) => [upload, sha256])) ?? null;
};

async function receive(bytes: AsyncIterable<Buffer>, context: Context): Promise<StoredContent> {
  try {
    return await storeContent(bytes, MAX_ATTACHMENT_BYTES);
  } catch (error) {
    if (error instanceof ContentTooLarge) {
      throw context.fail('PAYLOAD_TOO_LARGE', `An attachment can have at most ${MAX_ATTACHMENT_BYTES / MEBIBYTE} MiB.`);
    }
    throw error;
  }
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = numberedFileName(wanted, number);
  return name;
}
