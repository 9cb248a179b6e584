import type { ingestFeedback } from '@worktrack/contracts/feedback/intake';
import type { createSource } from '@worktrack/contracts/feedback/sources';
import type { linkFeedback } from '@worktrack/contracts/gateway/link';
import type { Output, RawInput } from '@worktrack/contracts/operation';
import type { StandardColumn } from '@worktrack/contracts/projects/board';
import type { createProject, updateProject } from '@worktrack/contracts/projects/project-operations';
import type {
  completeAiTask,
  completeReview,
  completeValidation,
} from '@worktrack/contracts/work-items/agents/completions';
import type { claimWorkItem } from '@worktrack/contracts/work-items/agents/leases';
import type { reportProgress } from '@worktrack/contracts/work-items/agents/progress';
import type { addWorkItemComment } from '@worktrack/contracts/work-items/changes/comment';
import type { createWorkItem } from '@worktrack/contracts/work-items/changes/create';
import type { moveWorkItem } from '@worktrack/contracts/work-items/changes/move';
import { call, send } from '../../api/call.ts';
import { language } from '../../language/language.ts';
import { may } from '../../session.ts';
import { described, sampleSource } from './mark.ts';
import { texts } from './messages.ts';

/** The longest possible: after half of it the agents at work stall, like real ones that are no longer heard of. */
const LEASE_SECONDS = 3_600;
const MODEL = { model: 'claude-sonnet-4-5', provider: 'anthropic' };

type Item = Output<typeof createWorkItem>;
type NewItem = Pick<RawInput<typeof createWorkItem>, 'type' | 'title'> &
  Partial<Pick<RawInput<typeof createWorkItem>, 'description' | 'priority' | 'parentId' | 'dependsOn'>>;

/**
 * Creates the sample through the calls that agents and people make, so that its history is real: claims, heartbeats, reviews, costs. A dedicated operation
 * would have to write what only real work may write.
 * @param onStep before each call, with how many there were, and the project once there is one
 * @throws ServiceError; what exists by then has the mark
 */
export async function makeSample(onStep: (done: number, projectId?: string) => void): Promise<string> {
  let done = 0;
  let projectId: string | undefined;
  const step: typeof call = (...request) => {
    onStep(done++, projectId);
    return call(...request);
  };
  const project = await step<typeof createProject>('POST /api/projects', {
    name: texts.project,
    key: 'S',
    description: described(texts.about, 'making'),
    techStack: ['TypeScript', 'CSS'],
  });
  projectId = project.id;
  const create = (column: StandardColumn, item: NewItem) =>
    step<typeof createWorkItem>('POST /api/work-items', {
      ...item,
      projectId: project.id,
      boardId: project.defaultBoardId,
      boardColumnId: column,
    });
  const claim = async ({ id }: Item, agent: string): Promise<string> => {
    const { lease, reason } = await step<typeof claimWorkItem>('POST /api/work-items/claim', {
      ids: [id],
      agent,
      leaseSeconds: LEASE_SECONDS,
    });
    if (!lease) throw new Error(reason);
    return lease.token;
  };
  const beat = ({ id }: Item, leaseToken: string, told: Partial<RawInput<typeof reportProgress>>) =>
    step<typeof reportProgress>('POST /api/work-items/:workItemId/progress', {
      ...MODEL,
      ...told,
      workItemId: id,
      leaseToken,
    });
  const complete = ({ id }: Item, leaseToken: string, totalTokens: number, minutes: number, userActions?: string) =>
    step<typeof completeAiTask>('POST /api/work-items/:workItemId/ai-completion', {
      ...MODEL,
      workItemId: id,
      leaseToken,
      reviewColumnId: 'Review',
      totalTokens,
      durationMs: minutes * 60_000,
      userActions,
    });
  const review = ({ id }: Item, result: 'pass' | 'fail', summary: string, issues: string[] = []) =>
    step<typeof completeReview>('POST /api/work-items/:workItemId/review', { workItemId: id, result, summary, issues });
  const comment = ({ id }: Item, text: string) =>
    step<typeof addWorkItemComment>('POST /api/work-items/:workItemId/comments', { workItemId: id, text });

  const epic = await create('Backlog', { type: 'epic', title: texts.epic, description: texts.epicText });
  const colours = await create('Backlog', { type: 'feature', title: texts.colours, parentId: epic.id });
  const pictures = await create('Backlog', { type: 'feature', title: texts.pictures, parentId: epic.id });
  const tokens = await create('To Do', {
    type: 'task',
    title: texts.tokens,
    description: texts.tokensText,
    priority: 'high',
    parentId: colours.id,
  });
  const ofColours = (title: string, ...needed: Item[]) =>
    create('To Do', {
      type: 'task',
      title,
      parentId: colours.id,
      dependsOn: needed.map(({ id }) => id),
    });
  const palette = await ofColours(texts.palette, tokens);
  const cart = await ofColours(texts.cart, palette);
  const choice = await ofColours(texts.choice, tokens);
  await ofColours(texts.shots, cart, choice);
  await create('To Do', { type: 'task', title: texts.logo, priority: 'urgent', parentId: pictures.id });
  await create('Backlog', { type: 'task', title: texts.photos, priority: 'low', parentId: pictures.id });
  const idea = await create('Backlog', { type: 'idea', title: texts.idea });

  // Done, from the claim to the end.
  const first = await claim(tokens, 'agent 1');
  await beat(tokens, first, { note: texts.tokensNote, progress: 0.8, totalTokens: 96_000 });
  await complete(tokens, first, 118_000, 14, texts.tokensActions);
  await review(tokens, 'pass', texts.reviewPassed);
  await step<typeof completeValidation>('POST /api/work-items/:workItemId/validation', {
    ...MODEL,
    workItemId: tokens.id,
    testResults: { passed: 48, failed: 0 },
    documentation: { changelogEntry: texts.validated },
    totalTokens: 21_000,
    durationMs: 3 * 60_000,
  });
  await step<typeof moveWorkItem>('POST /api/work-items/:workItemId/move', {
    workItemId: tokens.id,
    boardColumnId: 'Done',
  });

  // Sent back by a review, fixed, and accepted.
  await comment(palette, texts.advice);
  const second = await claim(palette, 'agent 2');
  await complete(palette, second, 64_000, 9);
  await review(palette, 'fail', texts.reviewFailed, [texts.reviewIssue]);
  const again = await claim(palette, 'agent 2');
  await comment(palette, texts.mended);
  await complete(palette, again, 22_000, 4);
  await review(palette, 'pass', texts.reviewPassed);

  // In progress now.
  const third = await claim(cart, 'agent 3');
  await beat(cart, third, { note: texts.cartNote, progress: 0.6, totalTokens: 41_000 });
  const fourth = await claim(choice, 'agent 1');
  await beat(choice, fourth, { state: 'awaiting_input', question: texts.question, progress: 0.3, totalTokens: 17_000 });

  if (may('feedback:write')) {
    const source = await step<typeof createSource>('POST /api/feedback/sources', {
      name: sampleSource(project.id),
      type: 'server',
      requireCaptcha: false,
    });
    for (const message of [texts.feedbackOne, texts.feedbackTwo]) {
      const feedbackId = await submit(source.publicKey, message);
      await step<typeof linkFeedback>('POST /api/feedback/items/:feedbackId/links', {
        feedbackId,
        workItemId: idea.id,
      });
    }
  }
  await step<typeof updateProject>('PATCH /api/projects/:id', {
    id: project.id,
    description: described(texts.about, 'made'),
  });
  return project.id;
}

/** Roughly how many calls it takes: for a progress bar. */
export const STEPS = 34;

/** As the public does it: the token is for the origin that requests it, which a GET reveals only through its `Referer`. */
async function submit(publicKey: string, message: string): Promise<string> {
  const { token } = await send<{ token: string }>(`/feedback/widget/bootstrap?publicKey=${publicKey}`, {
    method: 'GET',
    referrerPolicy: 'same-origin',
  });
  const { id } = await send<Output<typeof ingestFeedback>>('/feedback/ingest', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ publicKey, token, message, category: 'feature_request', locale: language.value }),
  });
  return id;
}
