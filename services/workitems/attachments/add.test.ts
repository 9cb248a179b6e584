import { MAX_ATTACHMENTS } from '@worktrack/contracts/attachments/operations';
import { OperationError } from '@worktrack/contracts/errors';
import { AlreadyDone } from '@worktrack/runtime/database/handlers/effects.repository';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems } from '../testing.ts';
import { addAttachment } from './add.ts';
import { AttachmentModel } from './attachments.model.ts';
import { readContent } from './content.repository.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

async function* inOne(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

async function textOf(contentId: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readContent(contentId)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('an attachment keeps its content when its own commit, whose reply was lost, is found to be done', async () => {
  const { caller, create } = await startProject();
  const item = await create('task');
  const context = {
    caller,
    fail: (code: 'NOT_FOUND', message: string) => new OperationError(code, message),
    // What `receiving` does when the server has stored the commit, and the time for sending it again is over.
    async commit(_digest: string, work: (scope: object) => Promise<unknown>) {
      await commitAlone(work);
      throw new AlreadyDone();
    },
  };
  const input = { workItemId: item.id, fileName: 'notes.txt' };
  await expect(addAttachment(input, inOne('kept'), context as never)).rejects.toBeInstanceOf(AlreadyDone);
  const [attachment] = await call(caller, 'attachments.list', { workItemId: item.id });
  const stored = await AttachmentModel.findById(attachment?.id).lean();
  expect(await textOf(stored?.contentId ?? '')).toBe('kept');
});

test('of two that come at once, an item takes the last one that it has room for, and another when one is deleted', async () => {
  const { caller, create } = await startProject();
  const item = await create('task');
  const { organizationId } = caller;
  const records = Array.from({ length: MAX_ATTACHMENTS - 1 }, (_, i) => ({
    ...{ _id: uuidv7(), organizationId, workItemId: item.id, fileName: `${i}.txt`, mimeType: 'text/plain' },
    ...{ sizeBytes: 0, sha256: '-', uploadedBy: null, metadata: {}, contentId: uuidv7(), createdAt: new Date() },
  }));
  await AttachmentModel.insertMany(records);
  const context = {
    caller,
    fail: (...of: ConstructorParameters<typeof OperationError>) => new OperationError(...of),
    commit: (_digest: string, work: (scope: object) => Promise<unknown>) => commitAlone(work),
  };
  const add = () => addAttachment({ workItemId: item.id, fileName: 'last.txt' }, inOne('last'), context as never);
  const refused = { code: 'CONFLICT', extra: { reason: 'limit' } };
  const [one, other] = await Promise.allSettled([add(), add()]);
  expect([one, other]).toContainEqual(expect.objectContaining({ status: 'fulfilled' }));
  expect([one, other]).toContainEqual({ status: 'rejected', reason: expect.objectContaining({ code: 'CONFLICT' }) });
  expect(await failure(add())).toMatchObject(refused);
  await call(caller, 'attachments.delete', { workItemId: item.id, attachmentId: records[0]?._id as string });
  expect(await add()).toMatchObject({ fileName: 'last (2).txt' });
});
