import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});
const generate = (id: string) => call(project.caller, 'workItems.generatePrompt', { id });
const read = (id: string) => call(project.caller, 'workItems.getPrompt', { id });

test('with no model configured the template writes the prompt, which is marked and kept with the item', async () => {
  await call(project.caller, 'projects.update', {
    id: project.project.id,
    techStack: ['Rust'],
    repositories: ['git:x'],
  });
  const story = await project.create('story', { title: 'The story' });
  const dependency = await project.create('task', { title: 'The dependency' });
  await project.create('task', { title: 'The sibling', parentId: story.id });
  const item = await project.create('task', {
    title: 'The task',
    parentId: story.id,
    metadata: { mine: 'stays', dependsOn: [dependency.taskId] },
  });
  const generated = await generate(item.taskId);
  expect(generated).toEqual({
    prompt: expect.any(String),
    context: {
      workItemId: item.id,
      taskId: item.taskId,
      title: 'The task',
      type: 'task',
      projectName: 'Worktrack',
      siblingsCount: 1,
      hasParent: true,
    },
    savedToDb: true,
  });
  for (const part of ['The task', 'The story', 'The sibling', 'The dependency', 'Rust', 'git:x']) {
    expect(generated.prompt).toContain(part);
  }
  const after = await project.get(item.id);
  expect(after).toMatchObject({
    version: item.version + 1,
    metadata: { mine: 'stays', prompt: { text: generated.prompt, generatedBy: 'template' } },
  });
  const [event] = await project.history(item.id);
  expect(event).toMatchObject({
    eventType: 'updated',
    data: { changes: { metadata: { from: {}, to: { prompt: { generatedBy: 'template' } } } } },
  });
  expect(await read(item.id)).toEqual({
    prompt: generated.prompt,
    context: { workItemId: item.id, taskId: item.taskId, title: 'The task', type: 'task' },
    generatedAt: (after.metadata.prompt as { generatedAt: string }).generatedAt,
  });
});

test('a new prompt replaces the one before', async () => {
  const item = await project.create('task', { title: 'Before' });
  await generate(item.id);
  await project.update(item.id, { title: 'Afterwards' });
  await generate(item.id);
  expect((await read(item.id)).prompt).toContain('Afterwards');
});

test.each([
  ['no metadata', {}],
  ['something else in its place', { prompt: 'a text of my own' }],
])('an item with %s has no prompt yet: NOT_FOUND names what writes one', async (_, metadata) => {
  const item = await project.create('task', { metadata });
  expect(await failure(read(item.id))).toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('generate_work_item_prompt'),
  });
});

test('prompts of other organizations’ items are NOT_FOUND, and nothing is written', async () => {
  const stranger = await startProject();
  const theirs = await stranger.create('task');
  for (const ask of [generate, read]) expect(await failure(ask(theirs.id))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await stranger.get(theirs.id)).toEqual(theirs);
});
