import { MAX_ATTACHMENT_METADATA_BYTES } from '@worktrack/contracts/attachments/attachment';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';
import { AttachmentModel } from './attachments.model.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});

/** Attachments without content, each with this many bytes of metadata. */
async function attach(workItemId: string, count: number, metadataBytes: number): Promise<string[]> {
  const records = Array.from({ length: count }, (_, i) => ({
    _id: uuidv7(),
    organizationId: project.caller.organizationId,
    workItemId,
    fileName: `file ${i}.txt`,
    mimeType: 'text/plain',
    sizeBytes: 0,
    sha256: '-',
    uploadedBy: null,
    metadata: { text: 'x'.repeat(metadataBytes - '{"text":""}'.length) },
    contentId: uuidv7(),
    createdAt: new Date(),
  }));
  await AttachmentModel.insertMany(records);
  return records.map(({ _id }) => _id).sort();
}

test('very many attachments are listed page by page, and those in a review context are counted', async () => {
  const item = await project.create('task', { title: 'With many files' });
  const attached = await attach(item.id, 450, MAX_ATTACHMENT_METADATA_BYTES);
  const seen: string[] = [];
  for (let after: string | undefined; ; after = seen.at(-1)) {
    const page = await call(project.caller, 'attachments.list', { workItemId: item.id, after });
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(MAX_ANSWER_BYTES);
    if (page.length === 0) break;
    seen.push(...page.map(({ id }) => id));
  }
  expect(seen).toEqual(attached);
  const [first] = await call(project.caller, 'attachments.list', { workItemId: item.id, limit: 1 });
  expect(first?.id).toBe(attached[0]);

  const review = await call(project.caller, 'workItems.reviewContext', { taskId: item.id });
  expect(Buffer.byteLength(JSON.stringify(review))).toBeLessThan(MAX_ANSWER_BYTES);
  expect(review).toMatchObject({
    truncated: true,
    counts: { attachments: 450, siblings: 0, children: 0, dependencies: 0 },
  });
  expect(review.attachments.length).toBeGreaterThan(300);
});

test('metadata that an earlier version stored beyond the limit are left out of lists', async () => {
  const item = await project.create('task', { title: 'With older files' });
  await attach(item.id, 36, 255 * 1024);
  const list = await call(project.caller, 'attachments.list', { workItemId: item.id });
  expect(list).toHaveLength(36);
  expect(list.every(({ metadata }) => Object.keys(metadata).length === 0)).toBe(true);
  const review = await call(project.caller, 'workItems.reviewContext', { taskId: item.id });
  expect(review.attachments).toHaveLength(36);
  expect(review).not.toHaveProperty('truncated');
});
