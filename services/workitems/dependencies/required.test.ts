import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  call,
  failure,
  startProject,
  startWorkItems,
  stopWorkItems,
  storeUnchecked,
  type TestProject,
} from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});
const task = (fields: Parameters<TestProject['create']>[1] = {}) => project.create('task', fields);
const claim = () => call(project.caller, 'workItems.claim', { agent: 'agent' });

describe('dependsOn', () => {
  test('is kept in metadata, next to what else is given there, by every tool that creates', async () => {
    const before = await task();
    const first = await task({ dependsOn: [before.taskId.toLowerCase()], metadata: { a: 1 } });
    expect(first.metadata).toEqual({ a: 1, dependsOn: [before.taskId] });
    for (const name of ['createTask', 'createStory', 'createFeature', 'createEpic'] as const) {
      const made = await call(project.caller, `workItems.${name}`, { title: name, dependsOn: [before.id, first.id] });
      expect(made.metadata, name).toEqual({ dependsOn: [before.id, first.id] });
    }
  });

  test('that is removed by the write that lets the parent follow waits for nothing', async () => {
    const story = await project.create('story');
    const other = await task({ column: 'In Progress' });
    const item = await task({ parentId: story.id });
    await storeUnchecked(item.id, { dependsOn: [story.id, other.id] });
    await project.update(item.id, { dependsOn: [], boardColumnId: project.column('Done') });
    expect((await project.get(story.id)).columnName).toBe('Done');
    await project.move(item.id, 'To Do');
    expect((await claim()).workItem?.id).toBe(item.id);
  });

  test('replaces the list in an update; an empty one lets the task be claimed', async () => {
    const inProgress = { column: 'In Progress', assignee: 'Ada' };
    const [one, two] = [await task(inProgress), await task(inProgress)];
    const item = await task({ dependsOn: [one.id] });
    expect((await project.update(item.id, { dependsOn: [two.taskId] })).metadata).toEqual({ dependsOn: [two.taskId] });
    expect(await claim()).toMatchObject({ claimed: false });
    await project.update(item.id, { dependsOn: [] });
    expect((await claim()).workItem?.id).toBe(item.id);
  });

  test('given either way, what names nothing, another project’s item or the item itself is refused and named', async () => {
    const elsewhere = await (await startProject('Another', project.organization)).create('task');
    const theirs = await (await startProject()).create('idea');
    const item = await task();
    const nobody = uuidv7();
    const wrong = [nobody, 'W-T-999', elsewhere.taskId, theirs.id];
    const expected = [
      `${nobody} does not exist`,
      'W-T-999 does not exist',
      `${elsewhere.taskId} is in another project`,
      `${theirs.id} does not exist`,
    ].map((message) => ({ path: 'dependsOn', message }));
    for (const fields of [{ dependsOn: wrong }, { metadata: { dependsOn: wrong } }]) {
      const created = await failure(task(fields));
      expect(created).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: expected } });
      const updated = await failure(project.update(item.id, fields));
      expect(updated).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: expected } });
      expect(updated.message).toContain('W-T-999 does not exist');
    }
    expect(await failure(project.update(item.id, { dependsOn: [item.taskId] }))).toMatchObject({
      extra: { details: [{ path: 'dependsOn', message: `${item.taskId} is the item itself` }] },
    });
    for (const dependsOn of [{ a: 1 }, 7, ['the login'], [{ id: item.id }]]) {
      expect((await failure(task({ metadata: { dependsOn } }))).code).toBe('VALIDATION_FAILED');
    }
    expect(await project.get(item.id)).toEqual(item);
  });

  test('that would create a cycle of very many is refused with the first and the last of them', async () => {
    const tasks = Array.from({ length: 60 }, (_, n) => ({
      ref: `t${n}`,
      title: `Task ${n}`,
      type: 'task' as const,
      ...(n > 0 && { dependsOn: [`#t${n - 1}`] }),
    }));
    const { items } = await call(project.caller, 'workItems.createMany', { items: tasks });
    const ids = items.map(({ taskId }) => taskId);
    const { message } = await failure(project.update(items[0]?.id ?? '', { metadata: { dependsOn: [items[59]?.id] } }));
    const [first, last] = [[ids[0], ...ids.slice(41).reverse()], ids.slice(0, 20).reverse()];
    const named = `${first.join(' depends on ')} … (21 more) … depends on ${last.join(' depends on ')}`;
    expect(message).toBe(`dependsOn: would create a cycle: ${named}.`);
  });

  test('that would create a cycle of any length is refused with the path of the cycle', async () => {
    const chain = [await task()];
    for (let n = 1; n < 8; n++)
      chain.push(await task({ dependsOn: [chain[n - 1]?.[n % 2 ? 'id' : 'taskId'] as string] }));
    const [first, second] = chain as [(typeof chain)[0] & object, (typeof chain)[0] & object];
    const last = chain.at(-1) as typeof first;
    for (const metadata of [undefined, { dependsOn: [last.id] }]) {
      const refused = await failure(project.update(first.id, metadata ? { metadata } : { dependsOn: [last.id] }));
      const round = [first, ...chain.slice(1).reverse(), first].map(({ taskId }) => taskId).join(' depends on ');
      expect(refused.message).toBe(`dependsOn: would create a cycle: ${round}.`);
    }
    // What is not a cycle is not refused, however many paths lead to it.
    const other = await task({ dependsOn: chain.map(({ id }) => id) });
    await project.update(other.id, { dependsOn: [first.id, last.id] });
    await project.update(last.id, { dependsOn: [first.id, second.id] });
  });

  test('on what is above the item can never be met, and is refused however it comes about', async () => {
    const epic = await project.create('epic');
    const feature = await project.create('feature', { parentId: epic.id });
    const story = await project.create('story', { parentId: feature.id });
    const isAbove = (ref: string) =>
      `dependsOn: ${ref} is above the item, and so done only when the item is; name what it really waits for.`;
    for (const ref of [epic.id, feature.taskId, story.id]) {
      expect((await failure(task({ parentId: story.id, dependsOn: [ref] }))).message).toBe(isAbove(ref));
      const inBacklog = { title: 'T', parentId: story.id, metadata: { dependsOn: [ref] } };
      const session = { ...project.caller, sessionProjectId: project.project.id };
      expect((await failure(call(session, 'workItems.createTask', inBacklog))).message).toBe(isAbove(ref));
    }
    const item = await task({ parentId: story.id });
    expect((await failure(project.update(item.id, { dependsOn: [epic.taskId] }))).message).toBe(isAbove(epic.taskId));

    const waiting = await task({ dependsOn: [epic.taskId] });
    const middle = await task();
    await project.update(waiting.id, { parentId: middle.id });
    for (const id of [middle.id, waiting.id]) {
      const refused = await failure(project.update(id, { parentId: story.id }));
      const between = id === middle.id ? `${middle.taskId} is above ` : '';
      const round = `${between}${waiting.taskId} depends on ${epic.taskId} is above ${id === middle.id ? middle.taskId : waiting.taskId}`;
      expect(refused.message).toBe(`would create a cycle: ${round}; change dependsOn of one of them first.`);
      expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'parentId' }] } });
    }
    // What says what to change is true; and both may be changed at once.
    const both = { parentId: story.id, dependsOn: [feature.id] };
    expect((await failure(project.update(waiting.id, both))).message).toBe(isAbove(feature.id));
    await project.update(waiting.id, { parentId: story.id, dependsOn: [] });
    await project.update(middle.id, { parentId: story.id });
    // The other way round is what holds anyway.
    await project.update(epic.id, { dependsOn: [item.id] });
  });

  test('that leads back through a parent is refused with the path, whichever call would close the cycle', async () => {
    const epic = await project.create('epic');
    const feature = await project.create('feature', { parentId: epic.id });
    const story = await project.create('story', { parentId: feature.id });
    const [base, next] = [await task(), await task()];
    await project.update(next.id, { dependsOn: [base.id] });
    const cycle = (...names: readonly string[]) => `would create a cycle: ${names.join(' ')}`;
    const [B, N, S, E] = [base, next, story, epic].map(({ taskId }) => taskId) as [string, string, string, string];

    // By a dependency on the epic, added to an item that something below the epic waits for.
    const inside = await task({ parentId: story.id, dependsOn: [N] });
    const I = inside.taskId;
    const byDependency = await failure(project.update(base.id, { dependsOn: [E] }));
    const round = cycle(B, 'depends on', E, 'is above', I, 'depends on', N, 'depends on', B);
    expect(byDependency).toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: { details: [{ path: 'dependsOn', message: round }] },
    });

    // By a parent of the item, or of the item above it.
    await project.update(inside.id, { parentId: null });
    await project.update(base.id, { dependsOn: [E] });
    const middle = await task();
    await project.update(inside.id, { parentId: middle.id });
    const onward = ['depends on', N, 'depends on', B, 'depends on', E, 'is above'];
    for (const [id, path] of [
      [inside.id, [I, ...onward, I]],
      [middle.id, [middle.taskId, 'is above', I, ...onward, middle.taskId]],
    ] as const) {
      expect(await failure(project.update(id, { parentId: story.id }))).toMatchObject({
        code: 'VALIDATION_FAILED',
        message: `${cycle(...path)}; change dependsOn of one of them first.`,
      });
    }

    // By what is created.
    const created = cycle('the new item', ...onward, 'the new item');
    expect((await failure(task({ parentId: story.id, dependsOn: [N] }))).message).toBe(`dependsOn: ${created}.`);
    const many = (items: readonly object[]) =>
      call(project.caller, 'workItems.createMany', { boardId: project.board.id, items: items as never });
    const plan = [
      { ref: 'a', title: 'A', type: 'task', parentId: S },
      { title: 'B', type: 'task', parentId: '#a', dependsOn: ['#c'] },
      { ref: 'c', title: 'C', type: 'task', dependsOn: [N] },
    ];
    const through = cycle('items.1', 'depends on', '#c', ...onward, 'items.1');
    expect(await failure(many(plan))).toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: { details: [{ path: 'items.1.dependsOn', message: through }] },
    });
    // And through two parents that exist, of which none waits for the other yet.
    const other = await project.create('story');
    const after = await task({ dependsOn: [other.id] });
    const crossed = [
      { title: 'A', type: 'task', parentId: S, dependsOn: [after.id] },
      { title: 'B', type: 'task', parentId: other.id, dependsOn: [N] },
    ];
    expect((await failure(many(crossed))).message).toContain(
      cycle('items.0', 'depends on', after.taskId, 'depends on', other.taskId, 'is above', 'items.1', ...onward),
    );

    // What is no cycle is taken: beside the story, and below it what waits for nobody outside.
    await project.update(middle.id, { parentId: null, dependsOn: [S] });
    await project.update(inside.id, { parentId: null, dependsOn: [S, N] });
    await project.update(inside.id, { parentId: middle.id });
    expect((await many(plan.slice(2))).items).toHaveLength(1);
    expect(
      (
        await many([
          plan[0] as object,
          { ...plan[1], dependsOn: ['#a2'] },
          { ref: 'a2', title: 'D', type: 'task', parentId: S },
        ])
      ).items,
    ).toHaveLength(3);
  });

  test('in a cycle through a parent that is stored already, it can be changed, and the rest with it', async () => {
    const story = await project.create('story');
    const [base, inside, another] = [await task(), await task({ parentId: story.id }), await task()];
    await project.update(inside.id, { dependsOn: [base.id] });
    await storeUnchecked(base.id, { dependsOn: [story.id] });
    await project.update(base.id, { dependsOn: [story.taskId, another.id] });
    await project.update(inside.id, { dependsOn: [base.id, another.id] });
    const elsewhere = await project.create('story');
    await project.update(inside.id, { parentId: elsewhere.id });
    expect((await failure(project.update(inside.id, { parentId: story.id }))).code).toBe('VALIDATION_FAILED');
    await project.update(inside.id, { parentId: story.id, dependsOn: [another.id] });
  });

  test('on what is above the item, in older data, stays readable, can be moved with its tree, and be removed', async () => {
    const epic = await project.create('epic');
    const [from, to] = [1, 2].map(() => project.create('feature', { parentId: epic.id }));
    const story = await project.create('story', { parentId: (await from)?.id });
    const item = await task({ parentId: story.id });
    await storeUnchecked(item.id, { dependsOn: [epic.id] });
    await project.update(item.id, { title: 'New' });
    await project.update(story.id, { parentId: (await to)?.id });
    expect((await project.get(item.id)).metadata).toEqual({ dependsOn: [epic.id] });
    expect(await claim()).toMatchObject({ claimed: false });
    await project.update(item.id, { dependsOn: [] });
    expect((await claim()).workItem?.id).toBe(item.id);
  });

  test('in older data keeps blocking, is reported, and does not hold up other changes', async () => {
    const item = await task();
    await storeUnchecked(item.id, { dependsOn: ['W-T-999'] });
    expect((await project.update(item.id, { title: 'New', metadata: { a: 1 } })).title).toBe('New');
    const { tasks } = await call(project.caller, 'workItems.implementContext', { ids: [item.id] });
    expect(tasks).toMatchObject([{ state: 'blocked', blockedBy: ['W-T-999'] }]);
    expect(await claim()).toMatchObject({ claimed: false });
  });

  test('loses an item that is deleted, and its history says so', async () => {
    const parent = await task();
    const gone = await task({ parentId: parent.id });
    const stays = await task({ column: 'Done' });
    const dependent = await task({ metadata: { dependsOn: [gone.taskId.toLowerCase(), stays.id, gone.id], a: 1 } });
    const single = await task({ metadata: { dependsOn: gone.id } });
    const child = await task({ parentId: gone.id });
    await storeUnchecked(child.id, { dependsOn: [gone.id] });
    await project.update(parent.id, { dependsOn: [gone.id] });
    await call(project.caller, 'workItems.delete', { id: gone.id });

    const after = await project.get(dependent.id);
    expect(after).toMatchObject({ metadata: { dependsOn: [stays.id], a: 1 }, version: dependent.version + 1 });
    expect((await project.history(dependent.id))[0]).toMatchObject({
      eventType: 'updated',
      data: {
        changes: {
          metadata: {
            from: { dependsOn: [gone.taskId.toLowerCase(), stays.id, gone.id] },
            to: { dependsOn: [stays.id] },
          },
        },
      },
    });
    expect((await project.get(single.id)).metadata).toEqual({ dependsOn: [] });
    expect(await project.get(child.id)).toMatchObject({ metadata: { dependsOn: [] }, parentId: null, version: 2 });
    // None of them waits for anything any more, including the parent that has lost its child.
    const taken = new Set<string | undefined>();
    for (let n = 0; n < 4; n++) taken.add((await claim()).workItem?.id);
    expect(taken).toEqual(new Set([parent.id, dependent.id, single.id, child.id]));
  });
});

describe('ideaId', () => {
  test('is kept in metadata, and null removes it', async () => {
    const idea = await project.create('idea');
    const epic = await call(project.caller, 'workItems.createEpic', { title: 'Epic', ideaId: idea.taskId });
    expect(epic.metadata).toEqual({ ideaId: idea.taskId });
    expect((await project.update(epic.id, { ideaId: null })).metadata).toEqual({});
    expect((await project.update(epic.id, { ideaId: idea.id })).metadata).toEqual({ ideaId: idea.id });
    const { idea: found } = await call(project.caller, 'workItems.lineage', { id: epic.id });
    expect(found).toMatchObject({ id: idea.id });
  });

  test('given either way, what names nothing, another project’s idea or no idea is refused', async () => {
    const elsewhere = await (await startProject('Another', project.organization)).create('idea');
    const item = await task();
    const wrong = {
      [uuidv7()]: 'does not exist',
      [elsewhere.id]: 'is in another project',
      [item.id]: 'is not an idea',
    };
    for (const [ideaId, why] of Object.entries(wrong)) {
      const details = [{ path: 'ideaId', message: `${ideaId} ${why}` }];
      for (const fields of [{ ideaId }, { metadata: { ideaId } }]) {
        expect(await failure(task(fields))).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details } });
        expect((await failure(project.update(item.id, fields))).extra?.details).toEqual(details);
      }
    }
    expect((await failure(task({ metadata: { ideaId: { not: 'an id' } } }))).code).toBe('VALIDATION_FAILED');
  });
});

describe('warnings', () => {
  test('point out keys that are nearly ours, which are stored, and nothing else', async () => {
    const metadata = { depends_on: ['W-T-1'], dependencies: 1, blocked_by: [], idea_id: 'x', other: 1 };
    const item = await task({ metadata });
    expect(item.metadata).toEqual(metadata);
    expect(item.warnings).toEqual([
      'metadata.depends_on has no meaning here; did you mean dependsOn?',
      'metadata.dependencies has no meaning here; did you mean dependsOn?',
      'metadata.blocked_by has no meaning here; did you mean dependsOn?',
      'metadata.idea_id has no meaning here; did you mean ideaId?',
    ]);
    expect((await project.update(item.id, { metadata: { blockedBy: [] } })).warnings).toHaveLength(1);
    expect(await project.update(item.id, { metadata: { blocked_by: null }, dependsOn: [] })).not.toHaveProperty(
      'warnings',
    );
    expect(await project.get(item.id)).not.toHaveProperty('warnings');
  });

  test('say who holds an item that is changed by another key all the same', async () => {
    const item = await task();
    const { lease } = await call(project.caller, 'workItems.claim', { agent: 'agent 7' });
    // The warning names the agent, even if the item is assigned to somebody else by now.
    expect(await project.update(item.id, { title: 'Mine', assignee: 'Ada' })).not.toHaveProperty('warnings');
    const other = { ...project.caller, keyId: uuidv7() };
    const warnings = [`${item.taskId} is held by agent 7 until ${lease?.expiresAt}.`];
    expect(await call(other, 'workItems.update', { id: item.id, title: 'Same' })).toMatchObject({
      warnings,
      title: 'Same',
    });
    expect(await call(other, 'workItems.update', { id: item.id, title: 'Same' })).not.toHaveProperty('warnings');
    expect((await call(other, 'workItems.delete', { id: item.id })).warnings).toHaveLength(1);
  });
});
