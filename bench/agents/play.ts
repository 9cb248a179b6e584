import type { ToolClient } from './tool-client.ts';

/** Twelve tasks of an epic, as a team lead would plan them: what each waits for is given by its letters. */
const TASKS: readonly { readonly ref: string; readonly title: string; readonly dependsOn: string }[] = [
  { ref: 'a', title: 'Choose the colours of the dark scheme', dependsOn: '' },
  { ref: 'b', title: 'Move all colours into variables', dependsOn: '' },
  { ref: 'c', title: 'Remember the choice of a visitor', dependsOn: '' },
  { ref: 'd', title: 'Dark colours for text and surfaces', dependsOn: 'ab' },
  { ref: 'e', title: 'Dark colours for forms', dependsOn: 'ab' },
  { ref: 'f', title: 'Pictures that suit both schemes', dependsOn: 'a' },
  { ref: 'g', title: 'A switch in the settings', dependsOn: 'c' },
  { ref: 'h', title: 'Follow the setting of the system', dependsOn: 'c' },
  { ref: 'i', title: 'Mails in both schemes', dependsOn: 'd' },
  { ref: 'j', title: 'Contrast of every page measured', dependsOn: 'def' },
  { ref: 'k', title: 'A page that explains it', dependsOn: 'g' },
  { ref: 'l', title: 'Take the old stylesheet out', dependsOn: 'deij' },
];
/** The one whose first attempt does not pass. */
const MENDED = 'Dark colours for forms';
/** The one with a question to people. */
const ASKED = 'Pictures that suit both schemes';
/** The one whose agent goes, and another goes on from what it left. */
const HANDED_ON = 'Mails in both schemes';
/** Too short to report in between. */
const SHORT = new Set(['Remember the choice of a visitor', 'A page that explains it']);
const MODEL = 'claude-sonnet-4-5';

interface Claim {
  readonly workItem: { readonly id: string; readonly taskId: string; readonly title: string };
  readonly lease: { readonly token: string };
  readonly rework?: { readonly summary: string };
  readonly previous?: { readonly checkpoint: unknown };
}

export interface Team {
  readonly lead: ToolClient;
  readonly agents: readonly [ToolClient, ToolClient, ToolClient];
  readonly reviewer: ToolClient;
}

/**
 * Three agents do an epic that a lead has planned, and a reviewer passes their work: thirteen completions, for one is sent back. One agent asks a question, another hands its
 * task on. Each reports once in each task, and the reviewer looks at each before the verdict, as the server's instructions say.
 */
export async function play({ lead, agents, reviewer }: Team): Promise<void> {
  const epic = {
    ref: 'epic',
    type: 'epic',
    title: 'A dark colour scheme',
    description:
      'Visitors who work at night ask for it most of all. Everything that is white today must have a dark form that reads as well.',
  };
  const tasks = TASKS.map(({ ref, title, dependsOn }) => ({
    ...{ ref, type: 'task', title, parentId: '#epic' },
    description: `${title}, on all pages of the shop and of the account. It is done when the design team has no remark left and the pictures of the pages in test/pictures are new.`,
    ...(dependsOn && { dependsOn: [...dependsOn].map((each) => `#${each}`) }),
  }));
  const planned = await lead.done<{ items: { id: string }[] }>('create_work_items', { items: [epic, ...tasks] });

  let completions = 0;
  let claims = 0;
  while (completions < TASKS.length + 1) {
    const turn = claims++ % agents.length;
    const agent = agents[turn] as ToolClient;
    const claim = await claimBy(agent, `agent ${turn + 1}`);
    const { id: workItemId, title } = claim.workItem;
    if (title === HANDED_ON && !claim.previous) {
      await report(agent, claim, { checkpoint: { done: ['invoice.mjml'], left: ['reminder.mjml'] } });
      await agent.done('release_work_item', { workItemId, leaseToken: claim.lease.token });
      // Whoever comes next begins with what this one left.
      continue;
    } else if (title === ASKED) {
      await report(agent, claim, {
        state: 'awaiting_input',
        question: 'May the photographs be darkened, or only framed?',
      });
      await lead.done('answer_question', { workItemId, text: 'Only framed: the photographers would object.' });
      await report(agent, claim, { state: 'working' });
    } else if (!SHORT.has(title)) {
      await report(agent, claim, { progress: 0.5, note: 'The styles are written, the pictures are next' });
    }
    await agent.done('complete_ai_task', {
      ...{ workItemId, leaseToken: claim.lease.token, model: MODEL },
      ...{ totalTokens: 120_000, inputTokens: 112_000, outputTokens: 8_000 },
      userActions: '- Open the cart at night and look at the totals\n- Switch between the schemes while a form is open',
    });
    completions++;
    await reviewer.done('get_review_context', { workItemId });
    const isFailed = title === MENDED && !claim.rework;
    await reviewer.done('complete_review', {
      ...{ workItemId, result: isFailed ? 'fail' : 'pass', reviewedFiles: ['src/styles/dark.css'] },
      summary: isFailed ? 'The borders of the fields cannot be seen.' : 'Reads well in both schemes.',
      ...(isFailed && { issues: ['Borders of fields: contrast 1.4, at least 3 is needed'] }),
    });
  }
  await lead.done('get_ai_usage', { workItemId: planned.items[0]?.id, groupBy: 'agent' });
}

async function claimBy(agent: ToolClient, name: string): Promise<Claim> {
  const claim = await agent.done<Claim & { readonly reason?: string }>('claim_work_item', { agent: name });
  if (!claim.workItem) throw new Error(`There was nothing to claim: ${claim.reason}`);
  return claim;
}

async function report(agent: ToolClient, { workItem, lease }: Claim, what: object): Promise<void> {
  const tokens = { model: MODEL, totalTokens: 60_000, inputTokens: 56_000, outputTokens: 4_000 };
  await agent.done('report_progress', { workItemId: workItem.id, leaseToken: lease.token, ...tokens, ...what });
}
