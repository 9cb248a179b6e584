import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Arguments } from './mending.ts';
import type { ToolClient } from './tool-client.ts';

/** What calls are made in. */
export interface Setting {
  readonly client: ToolClient;
  readonly projectId: string;
  readonly boardId: string;
  /** In which files to upload are made. */
  readonly folder: string;
  /** An item of the inbox. */
  readonly newFeedback: () => Promise<{ readonly id: string; readonly sourceId: string }>;
}
type Make = (setting: Setting) => Promise<Arguments>;

let made = 0;
const title = () => `Made for one call, number ${++made}`;

const item = async ({ client }: Setting, type = 'task') =>
  (await client.done<{ id: string }>(`create_${type}`, { title: title() })).id;
const idea = async ({ client, boardId }: Setting) => {
  const where = { boardId, boardColumnId: 'Backlog' };
  return (await client.done<{ id: string }>('create_work_item', { title: title(), type: 'idea', ...where })).id;
};
const inColumn = async (setting: Setting, boardColumnId: string) => {
  const workItemId = await item(setting);
  await setting.client.done('move_work_item', { workItemId, boardColumnId });
  return workItemId;
};
const claimed = async (setting: Setting) => {
  const workItemId = await item(setting);
  const { lease } = await setting.client.done<{ lease: { token: string } }>('claim_work_item', {
    ...{ workItemIds: [workItemId], agent: 'agent 1', leaseSeconds: 600 },
  });
  return { workItemId, leaseToken: lease.token };
};
const used = {
  totalTokens: 1_000,
  inputTokens: 900,
  outputTokens: 100,
  cachedInputTokens: 500,
  cacheWriteTokens: 100,
  costUsd: 0.01,
};
const session = { model: 'claude-sonnet-4-5', ...used, durationMs: 60_000 };
const words = { title: 'A title', description: 'What is to be done' };
const byHand = { reason: 'It was agreed', force: true, takeOver: true };

/** The calls of each tool that are right, with all its arguments between them, each time on things of their own. */
export const RIGHT_CALLS: Readonly<Record<string, readonly Make[]>> = {
  list_projects: [async () => ({})],
  get_board: [async ({ boardId }) => ({ boardId })],
  list_work_items: [
    async ({ projectId, boardId }) => ({
      ...{ page: 1, limit: 5, search: 'made', projectId, boardId, boardColumnId: ['Backlog'], type: ['task'] },
      ...{ priority: ['medium'], assignee: ['me'], createdAfter: '2026-01-01', updatedAfter: '2026-01-01' },
    }),
    async (setting) => ({
      parentId: await item(setting, 'epic'),
      sort: '-updatedAt',
      leaseState: ['stalled'],
      externalId: 'build 7',
    }),
  ],
  get_work_item: [async (setting) => ({ workItemId: await item(setting) })],
  resolve_work_items: [
    async (setting) => ({ workItemIds: [await item(setting)], includeLeafTasks: true, maxDepth: 3 }),
  ],
  get_work_item_events: [async (setting) => ({ workItemId: await item(setting), eventType: 'created', limit: 5 })],
  create_work_item: [
    async (setting) => ({
      ...{ ...words, type: 'task', priority: 'high', boardId: setting.boardId, boardColumnId: 'Backlog' },
      ...{ projectId: setting.projectId, assignee: 'Ada', parentId: await item(setting, 'epic') },
      ...{
        dependsOn: [await item(setting)],
        ideaId: await idea(setting),
        externalId: title(),
        metadata: { area: 'shop' },
      },
    }),
  ],
  create_work_items: [
    async ({ projectId, boardId }) => ({
      ...{ projectId, boardId, boardColumnId: 'Backlog' },
      items: [
        { ref: 'a', type: 'task', title: title() },
        { type: 'task', title: title(), dependsOn: ['#a'] },
      ],
    }),
  ],
  create_task: [
    async (setting) => ({
      ...{ ...words, priority: 'high', dependsOn: [await item(setting)], ideaId: await idea(setting) },
      ...{ externalId: title(), metadata: { area: 'shop' }, parentId: await item(setting, 'epic') },
    }),
  ],
  create_story: [async (setting) => ({ ...words, parentId: await item(setting, 'feature') })],
  create_feature: [async (setting) => ({ ...words, parentId: await item(setting, 'epic') })],
  create_epic: [async () => words],
  update_work_item: [
    async (setting) => ({
      ...{
        workItemId: await item(setting),
        ...words,
        type: 'task',
        priority: 'low',
        assignee: 'Ada',
        boardColumnId: 'To Do',
      },
      ...{ parentId: await item(setting, 'epic'), dependsOn: [await item(setting)], ideaId: await idea(setting) },
      ...{ metadata: { area: 'shop' }, version: 1, ...byHand },
    }),
  ],
  move_work_item: [
    async (setting) => ({ workItemId: await item(setting), boardColumnId: 'To Do', isAutoSync: false, ...byHand }),
  ],
  batch_move_work_items: [
    async (setting) => ({ workItemIds: [await item(setting)], boardColumnId: 'To Do', ...byHand }),
  ],
  delete_work_item: [async (setting) => ({ workItemId: await item(setting) })],
  add_work_item_comment: [async (setting) => ({ ...(await claimed(setting)), text: 'It is agreed' })],
  answer_question: [
    async (setting) => {
      const held = await claimed(setting);
      await setting.client.done('report_progress', { ...held, state: 'awaiting_input', question: 'Which one?' });
      return { workItemId: held.workItemId, text: 'The second' };
    },
  ],
  claim_work_item: [
    async (setting) => ({
      ...{
        workItemIds: [await item(setting)],
        projectId: setting.projectId,
        agent: 'agent 2',
        leaseSeconds: 600,
        waitSeconds: 1,
      },
    }),
    async (setting) => ({ agent: 'agent 1', leaseToken: (await claimed(setting)).leaseToken }),
  ],
  report_progress: [
    async (setting) => ({
      ...{ ...(await claimed(setting)), state: 'awaiting_input', note: 'Half', question: 'Which one?', progress: 0.5 },
      ...{ model: session.model, provider: 'anthropic', ...used, checkpoint: { left: ['b'] } },
    }),
  ],
  release_work_item: [async (setting) => ({ ...(await claimed(setting)), boardColumnId: 'To Do' })],
  set_budget: [
    async ({ projectId }) => ({ projectId, limitUsd: 1_000, period: 'total' }),
    async (setting) => ({ workItemId: await item(setting, 'epic'), limitUsd: 10 }),
  ],
  get_implement_context: [async (setting) => ({ workItemIds: [await item(setting)], projectId: setting.projectId })],
  complete_ai_task: [
    async (setting) => ({
      ...{ ...(await claimed(setting)), reviewColumnId: 'Review', userActions: '- Look', ...session, takeOver: true },
    }),
  ],
  record_ai_session: [
    async (setting) => ({ workItemId: await item(setting), ...session, provider: 'anthropic', sessionType: 'design' }),
  ],
  get_review_context: [async (setting) => ({ workItemId: await inColumn(setting, 'Review'), featureReview: true })],
  complete_review: [
    async (setting) => ({
      ...{ workItemId: await inColumn(setting, 'Review'), result: 'fail', summary: 'Not yet', issues: ['The border'] },
      ...{ reviewedFiles: ['a.css'], takeOver: true },
    }),
  ],
  get_validate_context: [
    async (setting) => ({ workItemIds: [await inColumn(setting, 'Testing')], projectId: setting.projectId }),
  ],
  complete_validation: [
    async (setting) => ({
      ...{ workItemId: await inColumn(setting, 'Testing'), toDocumentColumnId: 'To Document', takeOver: true },
      ...{ documentation: { summary: 'Dark' }, testResults: { passed: 3, failed: 0 }, ...session },
    }),
  ],
  get_ideation_context: [async ({ projectId }) => ({ keywords: ['made'], projectId, limit: 5 })],
  generate_work_item_prompt: [async (setting) => ({ workItemId: await item(setting) })],
  get_work_item_prompt: [
    async (setting) => {
      const workItemId = await item(setting);
      await setting.client.done('generate_work_item_prompt', { workItemId });
      return { workItemId };
    },
  ],
  get_ai_usage: [
    async (setting) => ({
      ...{
        projectId: setting.projectId,
        workItemId: await item(setting),
        from: '2026-01-01',
        to: '2027-01-01',
        groupBy: 'day',
      },
    }),
  ],
  list_feedback: [
    async ({ newFeedback }) => {
      const { sourceId } = await newFeedback();
      return { status: 'new', category: 'bug', sourceId, search: 'dark', limit: 5 };
    },
  ],
  update_feedback_status: [async ({ newFeedback }) => ({ feedbackId: (await newFeedback()).id, status: 'triaged' })],
  link_feedback_to_idea_item: [
    async (setting) => ({ feedbackId: (await setting.newFeedback()).id, workItemId: await idea(setting) }),
  ],
  get_work_item_trace: [async (setting) => ({ workItemId: await item(setting) })],
  upload_work_item_attachment: [
    async (setting) => {
      const filePath = join(mkdtempSync(join(setting.folder, 'file-')), 'build.log');
      writeFileSync(filePath, 'It failed.');
      return {
        workItemId: await item(setting),
        filePath,
        fileName: 'log.txt',
        mimeType: 'text/plain',
        deleteAfterUpload: false,
      };
    },
  ],
  read_work_item_attachment: [
    async (setting) => {
      const upload = (await RIGHT_CALLS.upload_work_item_attachment?.[0]?.(setting)) ?? {};
      await setting.client.done('upload_work_item_attachment', upload);
      return { workItemId: upload.workItemId, fileName: upload.fileName };
    },
  ],
};
