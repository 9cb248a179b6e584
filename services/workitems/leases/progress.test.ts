import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';
import { onBeat } from './beats.ts';
import { settleEndedLeases } from './settle.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});
afterEach(() => void vi.useRealTimers());
const goForward = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1_000 });

const claim = (fields: object = {}) => call(project.caller, 'workItems.claim', { agent: 'agent 7', ...fields });
async function claimed(fields: object = {}) {
  const answer = await claim(fields);
  if (!answer.workItem || !answer.lease) throw new Error(`There was nothing to claim: ${answer.reason}`);
  return { ...answer, workItemId: answer.workItem.id, leaseToken: answer.lease.token };
}
type Claimed = Awaited<ReturnType<typeof claimed>>;
type BeatInput = Parameters<typeof call<'workItems.progress'>>[2];
const beat = ({ workItemId, leaseToken }: Claimed, fields: Partial<BeatInput> = {}) =>
  call(project.caller, 'workItems.progress', { workItemId, leaseToken, ...fields });
const comment = (workItemId: string, text: string, caller = project.caller) =>
  call(caller, 'workItems.comment', { workItemId, text });
const complete = ({ workItemId, leaseToken }: Claimed, totalTokens = 1) =>
  call(project.caller, 'workItems.completeAiTask', {
    workItemId,
    leaseToken,
    reviewColumnId: 'Review',
    model: 'gpt-5',
    totalTokens,
  });
const sessions = async (id: string) =>
  (await call(project.caller, 'workItems.lineage', { id })).sessions.map(({ sessionType, totalTokens }) => [
    sessionType,
    totalTokens,
  ]);

describe('a heartbeat', () => {
  test('is reported to listeners, as a renewal is, once it is stored: the lease as items show it', async () => {
    const told: { organizationId: string; beat: Beat }[] = [];
    onBeat((organizationId, beat) => told.push({ organizationId, beat }));
    const { id, taskId } = await project.create('task');
    const mine = await claimed();
    expect(told).toEqual([]);
    await beat(mine, { note: 'Tests are written', progress: 0.5 });
    const { organizationId } = project.caller;
    const { lease } = await project.get(id);
    expect(told).toEqual([{ organizationId, beat: { workItemId: id, taskId, projectId: project.project.id, lease } }]);
    await claim({ leaseToken: mine.leaseToken, leaseSeconds: 60 });
    const renewed = await project.get(id);
    expect(told[1]?.beat.lease).toEqual(renewed.lease);
    const { workItemId, leaseToken } = mine;
    await call(project.caller, 'workItems.release', { workItemId, leaseToken });
    expect((await failure(beat(mine))).code).toBe('CONFLICT');
    expect(told).toHaveLength(2);
    expect(JSON.stringify(told)).not.toContain(mine.leaseToken);
  });

  test('renews the lease and shows on the item what it reports, without a version or an event', async () => {
    const task = await project.create('task');
    const mine = await claimed({ leaseSeconds: 100 });
    const [before, history] = [await project.get(task.id), await project.history(task.id)];
    goForward(60);
    const told = { note: 'Tests are written', progress: 0.5, model: 'gpt-5', totalTokens: 1_000 };
    const { lease, answers } = await beat(mine, told);
    const shown = { note: 'Tests are written', progress: 0.5, tokensSoFar: 1_000, state: 'working', stalled: false };
    expect(lease).toMatchObject({ ...shown, token: mine.leaseToken, agent: 'agent 7' });
    expect(Date.parse(lease.expiresAt) - Date.now()).toBeGreaterThan(90_000);
    expect(answers).toEqual([]);
    const after = await project.get(task.id);
    expect(after).toMatchObject({ version: before.version, lease: shown, updatedAt: before.updatedAt });
    expect(await project.history(task.id)).toEqual(history);
    // What is not reported again stays.
    expect((await beat(mine, { progress: 0.6 })).lease).toMatchObject({ ...shown, progress: 0.6 });
    const { workItems } = await call(project.caller, 'workItems.list', { leaseState: 'working' });
    expect(workItems).toMatchObject([{ id: task.id, lease: { note: 'Tests are written', tokensSoFar: 1_000 } }]);
  });

  test('for a lease that has ended, or with another token, is refused', async () => {
    const task = await project.create('task');
    const mine = await claimed({ leaseSeconds: 60 });
    expect((await failure(beat({ ...mine, leaseToken: `${task.id}.nonsense` }))).code).toBe('CONFLICT');
    goForward(61);
    expect((await failure(beat(mine))).code).toBe('CONFLICT');
    await project.create('task');
    const other = await claimed({ ids: [task.id] });
    await project.move(task.id, 'To Do');
    expect((await failure(beat(other))).code).toBe('CONFLICT');
  });

  test.each<[string, Partial<BeatInput>]>([
    ['a note of 501 characters', { note: 'x'.repeat(501) }],
    ['a question of 2 001 characters', { state: 'awaiting_input', question: 'x'.repeat(2_001) }],
    ['progress beyond 1', { progress: 1.1 }],
    ['a checkpoint of more than 16 KiB', { checkpoint: { text: 'é'.repeat(8_200) } }],
    ['parts of more than the total', { totalTokens: 5, inputTokens: 4, outputTokens: 2 }],
  ])('with %s is refused', async (_, fields) => {
    await project.create('task');
    const mine = await claimed();
    await expect(beat(mine, fields)).rejects.toThrow();
  });

  test('with a question waits for a day, and receives what others comment, each comment once', async () => {
    const task = await project.create('task');
    const person = { ...project.caller, keyId: uuidv7() };
    await comment(task.id, 'Before the claim', person);
    const mine = await claimed();
    for (const given of [{}, { state: 'working' }] as const) {
      const refusal = await failure(beat(mine, { ...given, question: 'Why?' }));
      expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'state' }] } });
    }
    const { version } = await project.get(task.id);
    const asking = { state: 'awaiting_input', question: 'Which palette?' } as const;
    const asked = await beat(mine, asking);
    expect(asked.lease.state).toBe('awaiting_input');
    expect((await project.history(task.id)).slice(0, 2)).toMatchObject([
      { eventType: 'comment', data: { text: 'Which palette?', question: true } },
      { eventType: 'updated', data: { changes: { leaseState: { from: 'working', to: 'awaiting_input' } } } },
    ]);
    expect((await project.get(task.id)).version).toBe(version + 1);
    // The same question again does not count as one.
    await beat(mine, asking);
    expect(await project.history(task.id)).toHaveLength(6);
    goForward(23 * 60 * 60);
    const { workItems } = await call(project.caller, 'workItems.list', { leaseState: 'awaiting_input' });
    expect(workItems.map(({ id }) => id)).toEqual([task.id]);
    expect(await claim()).toMatchObject({ claimed: false });
    await call(project.caller, 'workItems.comment', {
      workItemId: task.id,
      text: 'My own',
      leaseToken: mine.leaseToken,
    });
    await comment(task.id, 'That of the brand.', person);
    await comment(task.id, 'Or any.', person);
    const heard = await beat(mine, { state: 'working' });
    expect(heard.answers).toMatchObject([
      { text: 'That of the brand.', actor: { keyId: person.keyId } },
      { text: 'Or any.' },
    ]);
    expect(heard.lease.state).toBe('working');
    expect(Date.parse(heard.lease.expiresAt) - Date.now()).toBeLessThan(901_000);
    expect((await beat(mine)).answers).toEqual([]);
    const many = Array.from({ length: 23 }, (_, n) => `Answer ${n}`);
    for (const text of many) await comment(task.id, text, person);
    const inTurn = [await beat(mine), await beat(mine), await beat(mine)].map(({ answers }) =>
      answers.map(({ text }) => text),
    );
    expect(inTurn).toEqual([many.slice(0, 20), many.slice(20), []]);
  });

  test('is not answered by what was meant for an earlier one: an answer that names it is refused, what came before it is marked', async () => {
    const task = await project.create('task');
    const mine = await claimed();
    const answer = (text: string, question?: string) =>
      call(project.caller, 'workItems.answer', { workItemId: task.id, text, question });
    await beat(mine, { state: 'awaiting_input', question: 'Which palette?' });
    await answer('The brand’s', ' Which palette? ');
    const asked = await beat(mine, { state: 'awaiting_input', question: 'Which font?' });
    expect(asked.answers).toMatchObject([{ text: 'The brand’s', beforeQuestion: true }]);
    const refused = await failure(answer('Or any', 'Which palette?'));
    expect(refused).toMatchObject({ code: 'CONFLICT', extra: { reason: 'asked_anew' } });
    expect(refused.message).toContain('"Which font?"');
    await answer('Any', 'Which font?');
    const { answers } = await beat(mine);
    expect(answers.map(({ text, beforeQuestion }) => [text, beforeQuestion])).toEqual([['Any', undefined]]);
  });

  test('is answered with its own key, too, and by whoever says so; and waits a day from its question, however often it is heard of', async () => {
    const task = await project.create('task');
    const mine = await claimed();
    const answer = (text: string) => call(project.caller, 'workItems.answer', { workItemId: task.id, text });
    expect((await failure(answer('Nobody asked'))).message).toContain('Add a comment instead');
    await comment(task.id, 'A note to myself');
    const asking = { state: 'awaiting_input', question: 'Which palette?' } as const;
    const { lease } = await beat(mine, asking);
    expect(lease.question).toBe('Which palette?');
    expect((await claim()).reason).toContain('waiting for an answer to "Which palette?"');
    goForward(3_600);
    expect((await beat(mine, asking)).lease.expiresAt).toBe(lease.expiresAt);
    await comment(task.id, 'By the same key');
    expect(await answer('The brand’s')).toMatchObject({ agent: 'agent 7', question: 'Which palette?' });
    const heard = await beat(mine);
    expect(heard.answers.map(({ text }) => text)).toEqual(['By the same key', 'The brand’s']);
    expect(heard.lease.expiresAt).toBe(lease.expiresAt);
    // Another question is another day.
    expect(
      Date.parse((await beat(mine, { question: 'And which font?', state: 'awaiting_input' })).lease.expiresAt),
    ).toBeGreaterThan(Date.parse(lease.expiresAt));
    // An agent that is heard of at the end of the day does not lose its work for it.
    goForward(24 * 3_600 - 60);
    expect(Date.parse((await beat(mine)).lease.expiresAt) - Date.now()).toBeGreaterThan(800_000);
    const { lease: after } = await beat(mine, { state: 'working' });
    expect(after.question).toBeNull();
    const stale = { workItemId: task.id, text: 'Late', leaseToken: `${mine.leaseToken}x` };
    expect((await failure(call(project.caller, 'workItems.comment', stale))).code).toBe('CONFLICT');
  });

  test('without a question is waited for no longer than any other lease', async () => {
    const { id } = await project.create('task');
    const mine = await claimed({ leaseSeconds: 60 });
    const { lease } = await beat(mine, { state: 'awaiting_input' });
    expect(Date.parse(lease.expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
    const asked = await beat(mine, { state: 'awaiting_input', question: 'Which?' });
    expect(Date.parse(asked.lease.expiresAt) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect((await project.get(id)).lease).toMatchObject({ question: 'Which?' });
  });

  test('and comments that arrive at the same time: each is delivered once, to exactly one heartbeat', async () => {
    const task = await project.create('task');
    const mine = await claimed();
    const person = { ...project.caller, keyId: uuidv7() };
    const texts = Array.from({ length: 12 }, (_, n) => `Comment ${n}`);
    const heard: string[] = [];
    await Promise.all([
      ...texts.map((text) => comment(task.id, text, person)),
      ...Array.from({ length: 6 }, async () => heard.push(...(await beat(mine)).answers.map(({ text }) => text))),
    ]);
    heard.push(...(await beat(mine)).answers.map(({ text }) => text));
    expect(heard.sort()).toEqual([...texts].sort());
  });
});

describe('what an agent leaves behind', () => {
  const checkpoint = { branch: 'dark', $done: ['a.b'], left: { 'c.d': null } };
  const left = { agent: 'agent 7', note: 'Half of it', checkpoint, at: expect.any(String) };

  test.each<[string, (mine: Claimed) => Promise<unknown>]>([
    ['expired', async () => goForward(901)],
    ['released', ({ workItemId, leaseToken }) => call(project.caller, 'workItems.release', { workItemId, leaseToken })],
    ['moved', ({ workItemId }) => project.move(workItemId, 'To Do')],
    [
      'completed',
      async (mine) => {
        await complete(mine);
        const { workItemId } = mine;
        await call(project.caller, 'workItems.completeReview', { workItemId, result: 'fail', summary: 'No' });
      },
    ],
  ])('goes to the agent that claims the task next, when its lease %s', async (endedBecause, end) => {
    await project.create('task');
    const mine = await claimed();
    expect(mine).not.toHaveProperty('previous');
    await beat(mine, { checkpoint, note: 'Half of it' });
    await end(mine);
    const next = await claimed({ agent: 'agent 8', leaseSeconds: 60 });
    expect(next.previous).toEqual({ ...left, endedBecause });
    // An agent that leaves nothing removes nothing.
    goForward(961);
    const last = await claimed({ agent: 'agent 9' });
    expect(last.previous).toMatchObject({ agent: 'agent 8', endedBecause: 'expired', note: null, checkpoint });
  });

  test('is there until the task is in To Document or Done', async () => {
    await project.create('task');
    const mine = await claimed();
    await beat(mine, { checkpoint });
    await complete(mine);
    for (const column of ['Testing', 'To Document', 'To Do']) await project.move(mine.workItemId, column);
    expect(await claimed()).not.toHaveProperty('previous');
  });
});

describe('tokens reported in heartbeats', () => {
  test('are those of the completion, once there is one', async () => {
    const { id } = await project.create('task');
    const mine = await claimed();
    await beat(mine, { model: 'gpt-5', totalTokens: 800 });
    await complete(mine, 1_000);
    expect(await sessions(id)).toEqual([['implement', 1_000]]);
  });

  test.each<[string, (mine: Claimed) => Promise<unknown>]>([
    ['released', ({ workItemId, leaseToken }) => call(project.caller, 'workItems.release', { workItemId, leaseToken })],
    ['ended by a move', ({ workItemId }) => project.move(workItemId, 'Done')],
    [
      'ended by a move of many',
      ({ workItemId }) =>
        call(project.caller, 'workItems.batchMove', { workItemIds: [workItemId], boardColumnId: 'Backlog' }),
    ],
    ['ended by a deletion', ({ workItemId }) => call(project.caller, 'workItems.delete', { id: workItemId })],
    [
      'taken over by another agent',
      async () => {
        goForward(901);
        await claimed({ agent: 'another' });
      },
    ],
    [
      'expired',
      async () => {
        goForward(901);
        // Across all organizations: other tests leave some too.
        expect(await settleEndedLeases(new Date())).toBeGreaterThan(0);
        expect(await settleEndedLeases(new Date())).toBe(0);
      },
    ],
  ])('and never completed are an abandoned session when the lease is %s', async (_, end) => {
    const story = await project.create('story');
    const task = await project.create('task', { parentId: story.id });
    const mine = await claimed();
    await beat(mine, { model: 'gpt-5', totalTokens: 1_000_000 });
    // Their number never goes down.
    await beat(mine, { model: 'gpt-5', totalTokens: 5 });
    expect((await project.get(task.id)).lease?.tokensSoFar).toBe(1_000_000);
    await end(mine);
    expect(await sessions(story.id)).toEqual([['abandoned', 1_000_000]]);
    const { totals, groups } = await call(project.caller, 'workItems.usage', {
      workItemId: story.id,
      groupBy: 'agent',
    });
    expect(totals).toMatchObject({ sessions: 1, estimatedCost: '3.437500' });
    expect(groups).toMatchObject([{ key: 'agent 7', totalTokens: 1_000_000 }]);
    const events = (await project.history(task.id)).filter(({ eventType }) => eventType === 'ai_session');
    expect(events).toMatchObject([{ data: { sessionType: 'abandoned', totalTokens: 1_000_000 } }]);
  });

  test('are recorded once by any number of replicas that look for leases that have ended', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await project.create('task')).id);
    for (let n = 0; n < 5; n++) await beat(await claimed(), { totalTokens: 10 });
    await settleEndedLeases(new Date());
    expect(await sessions(ids[0] as string)).toEqual([]);
    goForward(901);
    const settled = await Promise.all([1, 2, 3].map(() => settleEndedLeases(new Date())));
    expect(settled.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(5);
    for (const id of ids) expect(await sessions(id)).toEqual([['abandoned', 10]]);
    // What was settled can be claimed as before.
    expect(await claimed()).toMatchObject({ previous: { endedBecause: 'expired' } });
  });

  test('are recorded by the sweep that finds the lease ended, whatever else is written to the task meanwhile', async () => {
    const { id } = await project.create('task');
    const mine = await claimed({ leaseSeconds: 60 });
    await beat(mine, { totalTokens: 10, state: 'awaiting_input' });
    goForward(25 * 3_600);
    const edits = Array.from({ length: 8 }, (_, n) => project.update(id, { title: `Title ${n}` }));
    const [refused] = await Promise.all([
      failure(beat(mine, { totalTokens: 20 })),
      settleEndedLeases(new Date()),
      ...edits,
    ]);
    expect(refused.code).toBe('CONFLICT');
    expect(await sessions(id)).toEqual([['abandoned', 10]]);
    expect(await project.get(id)).toMatchObject({ lease: null, isAiProcessing: false });
    expect((await failure(beat(mine, { totalTokens: 20 }))).code).toBe('CONFLICT');
  });

  test('are recorded once when a claim races the sweep, and the new holder is at work', async () => {
    const { id } = await project.create('task');
    const mine = await claimed({ leaseSeconds: 60 });
    await beat(mine, { totalTokens: 10, state: 'awaiting_input' });
    goForward(25 * 3_600);
    const sweeps = [1, 2, 3].map(() => settleEndedLeases(new Date()));
    const [taken, refused] = await Promise.all([claim({ agent: 'another' }), failure(beat(mine)), ...sweeps]);
    expect(taken).toMatchObject({ claimed: true, previous: { endedBecause: 'expired' } });
    expect(refused.code).toBe('CONFLICT');
    expect(await sessions(id)).toEqual([['abandoned', 10]]);
    expect(await project.get(id)).toMatchObject({ lease: { agent: 'another' }, isAiProcessing: true });
  });
});
