import { unwatchWorkItem, watchWorkItem } from '@worktrack/contracts/gateway/notifications';
import type { Output, RawInput } from '@worktrack/contracts/operation';
import { getBoard } from '@worktrack/contracts/projects/board-operations';
import { getProject, listProjects } from '@worktrack/contracts/projects/project-operations';
import { addWorkItemComment, answerQuestion } from '@worktrack/contracts/work-items/changes/comment';
import { createWorkItem } from '@worktrack/contracts/work-items/changes/create';
import { deleteWorkItem } from '@worktrack/contracts/work-items/changes/delete';
import { moveWorkItem } from '@worktrack/contracts/work-items/changes/move';
import { updateWorkItem } from '@worktrack/contracts/work-items/changes/update';
import { getWorkItemEvents } from '@worktrack/contracts/work-items/events';
import { getWorkItem } from '@worktrack/contracts/work-items/get';
import { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import { PLAIN_FIELDS, type PlainField } from '@worktrack/contracts/work-items/plain-fields';
import { WorkItem, type WrittenItem } from '@worktrack/contracts/work-items/work-item';
import { Command, Option } from 'commander';
import { historyLine } from '../../event-line.ts';
import { Failure, kebab } from '../../failure.ts';
import { addFlags, fieldsFrom } from '../../flags.ts';
import { idempotencyKeyOption, withJson } from '../../options.ts';
import { type Cell, minute, print, printJson, printList, printProblem, printRecord, warn } from '../../output.ts';
import { type Api, api } from '../../service/api.ts';
import { type Options, send } from '../sending.ts';
import { createFromFile, requireField } from './create-from-file.ts';
import { addFileCommands } from './item-files.ts';
import { addWorkCommands } from './item-work.ts';

export function itemCommand(): Command {
  const item = new Command('item').description('work items, by their task IDs or UUIDs');

  addFlags(item.command('create').description('create a work item, or all of a file'), createWorkItem, [
    'boardId',
    'boardColumnId',
    'type',
    'title',
  ])
    .option('--title <value>', 'required without --file, unless the template has one')
    .option('--template <name>', 'begin with a template of the project; options come before what it says')
    .option('--file <path>', 'items as YAML or JSON: a list, or { items }; - is standard input')
    .option('--type <type>', 'epic, feature, story, task or idea; default: task')
    .option('--board-id <id>', 'default: the default board of the project')
    .option('--board-column-id <column>', 'name or UUID; default: that of the backlog, or of what is to do')
    .addOption(idempotencyKeyOption())
    .addOption(fieldOption())
    .action(create);

  item.command('get <item>').description('show a work item').addOption(fieldOption()).action(get);

  addFlags(
    item.command('list').description('list work items, newest first; those of a column in column order'),
    listWorkItems,
  )
    .addOption(fieldOption())
    .action(list);

  addFlags(item.command('update <item>').description('change fields of a work item'), updateWorkItem, ['id'])
    .addOption(idempotencyKeyOption())
    .action(update);

  addFlags(item.command('move <item>').description('move a work item to another column'), moveWorkItem, ['workItemId'])
    .option('--only-from <column>', 'do nothing unless it is in this column')
    .option('--not-from <column>', 'do nothing if it is in this column')
    .addOption(idempotencyKeyOption())
    .action(async (workItemId: string, options: Options & MoveConditions) => {
      const stays = await staying(workItemId, options);
      if (stays) {
        return options.json ? printJson({ workItem: stays }) : print(`${stays.taskId} stays in ${stays.columnName}.`);
      }
      const { workItem, fromColumn, toColumn, cascaded, warnings } = await send(moveWorkItem, { workItemId }, options);
      warn({ warnings }, options);
      if (options.json) return printJson({ workItem, fromColumn, toColumn, cascaded, ...(warnings && { warnings }) });
      print(`${workItem.taskId} moved from ${fromColumn} to ${toColumn}.`);
    });

  addFlags(item.command('comment <item>').description('add a comment'), addWorkItemComment, ['workItemId'])
    .addOption(idempotencyKeyOption())
    .action(async (workItemId: string, options: Options) => {
      const added = await send(addWorkItemComment, { workItemId }, options);
      if (options.json) return printJson(added);
      print(`Comment added to ${workItemId}.`);
    });

  addFlags(
    item.command('answer <item>').description('answer the question of the agent that holds it'),
    answerQuestion,
    ['workItemId'],
  )
    .addOption(idempotencyKeyOption())
    .action(async (workItemId: string, options: Options) => {
      const answered = await send(answerQuestion, { workItemId }, options);
      if (options.json) return printJson(answered);
      print(`${answered.agent} gets the answer with its next heartbeat.`);
    });

  addFlags(
    item.command('history <item>').description('what happened to a work item, newest first; also of a deleted one'),
    getWorkItemEvents,
    ['workItemId'],
  ).action(async (workItemId: string, options: Options) => {
    const fields = await fieldsFrom(getWorkItemEvents, options);
    const found = await api().call(getWorkItemEvents, { ...fields, workItemId });
    if (options.json) return printJson(found);
    for (const event of found.events) print(historyLine(event));
    if (found.nextCursor !== null) print(`\nThere are more: --cursor ${found.nextCursor}`);
  });

  item
    .command('delete <item>')
    .description('delete a work item; its children stay, without a parent')
    .addOption(idempotencyKeyOption())
    .action(async (id: string, options: Options) => {
      const deleted = await api().call(deleteWorkItem, { id }, options);
      if (options.json) return printJson(deleted);
      print(`${id} is deleted.`);
    });

  for (const [name, operation, description] of [
    ['watch', watchWorkItem, 'be told what others, and your agents, do to it'],
    ['unwatch', unwatchWorkItem, 'be told of it no longer'],
  ] as const) {
    item
      .command(`${name} <item>`)
      .description(description)
      .action(async (workItemId: string, { json }: Options) => {
        const watched = await api().call(operation, { workItemId });
        if (json) return printJson(watched);
        print(`You ${watched.watching ? 'watch' : 'no longer watch'} ${watched.taskId}.`);
      });
  }

  addFileCommands(item);
  addWorkCommands(item);
  return withJson(item, 'download');
}

const COMMENTS_SHOWN = 3;

/** The service knows which column of the board is meant. */
interface MoveConditions {
  readonly onlyFrom?: string;
  readonly notFrom?: string;
}

/** The item, if it is not where a move is to take it from. */
async function staying(id: string, { onlyFrom, notFrom }: MoveConditions): Promise<WrittenItem | undefined> {
  if (onlyFrom === undefined && notFrom === undefined) return undefined;
  const item = await api().call(getWorkItem, { id });
  const isElsewhere = onlyFrom !== undefined && !(await isIn(item, onlyFrom, '--only-from'));
  return isElsewhere || (notFrom !== undefined && (await isIn(item, notFrom, '--not-from'))) ? item : undefined;
}

async function isIn({ id, taskId, boardId }: WrittenItem, column: string, flag: string): Promise<boolean> {
  const query = { boardId, boardColumnId: [column], search: taskId };
  const { workItems } = await api().call(listWorkItems, query, { placed: { boardColumnId: flag } });
  return workItems.some((item) => item.id === id);
}

/** With what it hangs together with, so that nobody has to look it up by UUID. */
async function get(id: string, options: Options): Promise<void> {
  const service = api();
  const item = await service.call(getWorkItem, { id });
  if (options.field !== undefined) return show(item, options);
  const dependsOn = item.metadata.dependsOn ?? [];
  const refs = [...(item.parentId === null ? [] : [item.parentId]), ...[dependsOn].flat().map(String)];
  const [near, { events: comments }] = await Promise.all([
    Promise.all(refs.map((ref) => service.call(getWorkItem, { id: ref }).catch(() => ref))),
    service.call(getWorkItemEvents, { workItemId: id, eventType: 'comment', limit: COMMENTS_SHOWN }),
  ]);
  const [parent, dependencies] = item.parentId === null ? [null, near] : [near[0] ?? null, near.slice(1)];
  if (options.json) return printJson({ ...item, parent, dependencies, comments });
  const named = (each: Output<typeof getWorkItem> | string) =>
    typeof each === 'string' ? each : `${each.taskId} ${each.title} (${each.columnName})`;
  const { lease } = item;
  show(item, options, {
    Parent: parent === null ? null : named(parent),
    ...(dependencies.length > 0 && { 'Depends on': dependencies.map(named).join(', ') }),
    ...(lease && { 'Held by': `${lease.agent} until ${lease.expiresAt} (${lease.state})` }),
    ...(lease?.question && { Question: lease.question }),
  });
  for (const { createdAt, data } of comments.toReversed()) print(`\n${minute(createdAt)}  ${String(data.text)}`);
}

async function create(options: Options & { readonly file?: string; readonly template?: string }): Promise<void> {
  const service = api();
  if (options.file !== undefined) return createFromFile(service, options.file, options);
  const { template: named } = options;
  const given = await fieldsFrom(createWorkItem, options);
  requireField(options.field, given.externalId === undefined ? SHOWN : [...SHOWN, 'created']);
  const template = named === undefined ? {} : await templateNamed(service, named, given);
  const fields: Record<string, unknown> = { type: 'task', ...template, ...given };
  if (fields.title === undefined) throw new Failure('usage', 'Pass --title, or --file with a list of items.');
  const boardId = fields.boardId ?? (await defaultBoard(service, fields.projectId as string | undefined));
  const boardColumnId = fields.boardColumnId ?? (await firstColumn(service, boardId as string));
  const input = { ...fields, boardId, boardColumnId } as RawInput<typeof createWorkItem>;
  const made = await service.call(createWorkItem, input, options);
  show(made, options);
}

/** What a template says of a new item. */
async function templateNamed(
  service: Api,
  wanted: string,
  { projectId, boardId }: { readonly projectId?: unknown; readonly boardId?: unknown },
): Promise<object> {
  const named = (projectId as string | undefined) ?? (boardId === undefined ? service.projectId : undefined);
  const board = boardId ?? (named === undefined ? await defaultBoard(service, undefined) : undefined);
  const id = named ?? (await service.call(getBoard, { id: board as string })).projectId;
  const { templates, name: project } = await service.call(getProject, { id });
  const found = templates.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (!found) {
    const names = templates.map(({ name }) => JSON.stringify(name)).join(', ') || 'none';
    throw new Failure('usage', `Project "${project}" has no template ${JSON.stringify(wanted)}; it has ${names}.`);
  }
  const { name: _, ...fields } = found;
  return fields;
}

async function firstColumn(service: Api, boardId: string): Promise<string> {
  const { columns, name } = await service.call(getBoard, { id: boardId });
  const first = columns.find(({ role }) => role === 'backlog') ?? columns.find(({ role }) => role === 'todo');
  if (first) return first.id;
  throw new Failure(
    'usage',
    `Say where: --board-column-id; board "${name}" has ${columns.map((each) => each.name).join(', ')}.`,
  );
}

async function defaultBoard(service: Api, given: string | undefined): Promise<string> {
  const projectId = given ?? service.projectId;
  if (projectId !== undefined) return (await service.call(getProject, { id: projectId })).defaultBoardId;
  const { projects } = await service.call(listProjects, { limit: 2 });
  const [only] = projects;
  if (only && projects.length === 1) return only.defaultBoardId;
  throw new Failure(
    'usage',
    'Say where: --project-id or --board-id, or set WORKTRACK_PROJECT_ID. `worktrack project list` shows the ids.',
  );
}

async function list(options: Options): Promise<void> {
  const service = api();
  const fields = await fieldsFrom(listWorkItems, options);
  const place = ['projectId', 'boardId', 'parentId'].some((field) => fields[field] !== undefined)
    ? {}
    : { projectId: service.projectId };
  const found = await service.call(listWorkItems, { ...place, ...fields } as RawInput<typeof listWorkItems>);
  if (options.json) return printJson(found);
  const { field } = options;
  if (field !== undefined) {
    for (const item of found.workItems) print(fieldOf(item, field));
    if (found.nextCursor !== null) printProblem(`There are more: --cursor ${found.nextCursor}`);
    return;
  }
  printList(
    found.workItems,
    {
      'TASK ID': 'taskId',
      TYPE: 'type',
      COLUMN: 'columnName',
      PRIORITY: 'priority',
      ASSIGNEE: 'assignee',
      TITLE: 'title',
    },
    'There are no such work items.',
  );
  if (found.nextCursor !== null) print(`\nThere are more: --cursor ${found.nextCursor}`);
}

async function update(id: string, options: Options): Promise<void> {
  show(await send(updateWorkItem, { id }, options, 'item update'), options);
}

/** For scripts: `id=$(worktrack item create … --field taskId)`. */
const fieldOption = () => new Option('--field <name>', 'print only this field of each item').conflicts('json');

const SHOWN = Object.keys(WorkItem.shape);

function fieldOf(item: object, field: string): string {
  requireField(field, Object.keys(item));
  const value = (item as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function show(
  item: WrittenItem & { readonly created?: boolean },
  { json, field }: Options,
  around: Readonly<Record<string, Cell>> = {},
): void {
  warn(item, { json });
  if (json) {
    printJson(item);
    return;
  }
  if (field !== undefined) {
    print(fieldOf(item, field));
    return;
  }
  printRecord({
    'Task ID': item.taskId,
    Title: item.title,
    Type: item.type,
    Column: item.columnName,
    ...plainRecordOf(item),
    Assignee: item.assignee,
    ...(item.labels.length > 0 && { Labels: item.labels.map(({ name }) => name).join(', ') }),
    ...around,
    ID: item.id,
  });
  if (item.description !== '') print(`\n${item.description}`);
}

/** What is shown as it is stored, by the names of its fields: `Due date` of `dueDate`. */
function plainRecordOf(item: Pick<WrittenItem, PlainField>): Record<string, Cell> {
  const nameOf = (field: string) => field.charAt(0).toUpperCase() + kebab(field).slice(1).replaceAll('-', ' ');
  const set = PLAIN_FIELDS.filter((field) => item[field] !== null);
  return Object.fromEntries(set.map((field) => [nameOf(field), String(item[field])]));
}
