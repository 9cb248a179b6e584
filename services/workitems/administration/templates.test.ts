import { updateProject } from '@worktrack/contracts/projects/project-operations';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

test('a project has templates, whose labels follow their names and disappear with them', async () => {
  const { caller, project } = await startProject();
  const { id } = project;
  expect(project.templates).toEqual([]);
  const label = await call(caller, 'labels.create', { id, name: 'Defect', colour: '#c00000' });
  const templates = [
    { name: 'Bug', type: 'task', title: 'Bug: ', description: '## Steps', priority: 'high', labels: ['defect'] },
    { name: 'Epic', type: 'epic' },
  ] as const;
  const set = await call(caller, 'projects.update', { id, templates: templates as never });
  const shown = [{ ...templates[0], title: 'Bug:', labels: ['Defect'] }, templates[1]];
  expect(set.templates).toEqual(shown);
  await call(caller, 'labels.update', { id, labelId: label.id, name: 'Fault' });
  expect((await call(caller, 'projects.get', { id })).templates[0]).toMatchObject({ labels: ['Fault'] });
  await call(caller, 'labels.delete', { id, labelId: label.id });
  const { templates: left } = await call(caller, 'projects.get', { id });
  expect(left[0]?.labels).toEqual([]);
  // What is shown can be given back, and changes nothing else.
  expect((await call(caller, 'projects.update', { id, templates: left })).templates[1]).toEqual(templates[1]);
  expect((await call(caller, 'projects.update', { id, name: 'Other' })).templates).toHaveLength(2);
  expect((await call(caller, 'projects.update', { id, templates: [] })).templates).toEqual([]);
});

test('of two people who change the list at once, one is told of the other', async () => {
  const { caller, project } = await startProject();
  const { id, version } = project;
  const giving = (name: string) =>
    call(caller, 'projects.update', { id, version, templates: [{ name, type: 'task' as const }] });
  const refused = [];
  for (const each of await Promise.allSettled([giving('First'), giving('Second')])) {
    if (each.status === 'rejected') refused.push(await failure(Promise.reject(each.reason)));
  }
  const now = await call(caller, 'projects.get', { id });
  expect(now.templates).toHaveLength(1);
  expect(now.version).toBeGreaterThan(version);
  expect(refused).toMatchObject([{ code: 'CONFLICT', extra: { current: now } }]);
});

test('a template without such a label, or with a name that another has, is refused', async () => {
  const { caller, project } = await startProject();
  const templates = [{ name: 'Bug', type: 'task' as const, labels: ['nothing'] }];
  const refused = await failure(call(caller, 'projects.update', { id: project.id, templates }));
  expect(refused).toMatchObject({
    code: 'VALIDATION_FAILED',
    extra: { details: [{ path: 'templates.0.labels.0' }] },
  });
  const twice = { id: project.id, templates: ['Bug', 'bug'].map((name) => ({ name, type: 'task' })) };
  expect(updateProject.input.safeParse(twice).error?.issues[0]?.path).toEqual(['templates', 1, 'name']);
});

test('a column has a limit of work in progress, which a new name and a new place leave as it is', async () => {
  const { caller, board } = await startProject();
  const set = (columns: readonly object[]) =>
    call(caller, 'boards.update', { id: board.id, columns: columns as never });
  const plain = board.columns.map(({ id, name }) => ({ id, name }));
  const limited = plain.map((column) => (column.name === 'In Progress' ? { ...column, limit: 3 } : column));
  const limits = ({ columns }: { columns: readonly { name: string; limit: number | null }[] }) =>
    columns.flatMap(({ name, limit }) => (limit === null ? [] : [[name, limit]]));
  expect(limits(board)).toEqual([]);
  expect(limits(await set(limited))).toEqual([['In Progress', 3]]);
  const renamed = plain.map(({ id, name }) => ({ id, name: name === 'In Progress' ? 'Doing' : name })).reverse();
  expect(limits(await set(renamed))).toEqual([['Doing', 3]]);
  expect(limits(await call(caller, 'boards.get', { id: board.id }))).toEqual([['Doing', 3]]);
  expect(limits(await set(renamed.map((column) => ({ ...column, limit: null }))))).toEqual([]);
});
