import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Attachment } from '@worktrack/contracts/attachments/attachment';
import { addAttachment } from '@worktrack/contracts/attachments/operations';
import type { Operation, Output, RawInput } from '@worktrack/contracts/operation';
import { getBoard } from '@worktrack/contracts/projects/board-operations';
import { getProject, listProjects } from '@worktrack/contracts/projects/project-operations';
import { addWorkItemComment, answerQuestion } from '@worktrack/contracts/work-items/comment';
import { completeAiTask } from '@worktrack/contracts/work-items/completions';
import { createWorkItem } from '@worktrack/contracts/work-items/create';
import { getWorkItem } from '@worktrack/contracts/work-items/get';
import { claimWorkItem, releaseWorkItem } from '@worktrack/contracts/work-items/leases';
import { listWorkItems } from '@worktrack/contracts/work-items/list';
import { moveWorkItem } from '@worktrack/contracts/work-items/move';
import { updateWorkItem } from '@worktrack/contracts/work-items/update';
import type { WrittenItem } from '@worktrack/contracts/work-items/work-item';
import { Command, Option } from 'commander';
import { type Api, api } from '../api.ts';
import { Failure } from '../failure.ts';
import { addFlags, fieldsFrom } from '../flags.ts';
import { idempotencyKeyOption, jsonOption } from '../options.ts';
import { type OutputOptions, print, printJson, printList, printRecord, warn } from '../output.ts';
import { unreadable } from '../text-input.ts';

interface Options extends OutputOptions, Record<string, unknown> {
  readonly idempotencyKey?: string;
  readonly field?: string;
}

export function itemCommand(): Command {
  const item = new Command('item').description('work items, by their task IDs or UUIDs');

  addFlags(item.command('create').description('create a work item'), createWorkItem, [
    'boardId',
    'boardColumnId',
    'type',
  ])
    .option('--type <type>', 'epic, feature, story, task or idea', 'task')
    .option('--board-id <id>', 'default: the default board of the project')
    .option('--board-column-id <column>', 'name or UUID; default: that of the backlog, or of what is to do')
    .addOption(idempotencyKeyOption())
    .addOption(fieldOption())
    .addOption(jsonOption())
    .action(create);

  item
    .command('get <item>')
    .description('show a work item')
    .addOption(fieldOption())
    .addOption(jsonOption())
    .action(async (id: string, options: Options) => show(await api().call(getWorkItem, { id }), options));

  addFlags(
    item.command('list').description('list work items, newest first; those of a column in column order'),
    listWorkItems,
  )
    .addOption(fieldOption())
    .addOption(jsonOption())
    .action(list);

  addFlags(item.command('update <item>').description('change fields of a work item'), updateWorkItem, ['id'])
    .addOption(idempotencyKeyOption())
    .addOption(jsonOption())
    .action(update);

  addFlags(item.command('move <item>').description('move a work item to another column'), moveWorkItem, ['workItemId'])
    .option('--only-from <column>', 'do nothing unless it is in this column')
    .addOption(idempotencyKeyOption())
    .addOption(jsonOption())
    .action(async (workItemId: string, options: Options & { readonly onlyFrom?: string }) => {
      const { onlyFrom } = options;
      const before = onlyFrom === undefined ? undefined : await api().call(getWorkItem, { id: workItemId });
      if (before && before.columnName.toLowerCase() !== onlyFrom?.toLowerCase()) {
        return options.json
          ? printJson({ workItem: before })
          : print(`${before.taskId} stays in ${before.columnName}.`);
      }
      const { workItem, fromColumn, toColumn, cascaded, warnings } = await send(moveWorkItem, { workItemId }, options);
      warn(warnings);
      if (options.json) return printJson({ workItem, fromColumn, toColumn, cascaded, ...(warnings && { warnings }) });
      print(`${workItem.taskId} moved from ${fromColumn} to ${toColumn}.`);
    });

  addFlags(item.command('comment <item>').description('add a comment'), addWorkItemComment, ['workItemId'])
    .addOption(idempotencyKeyOption())
    .addOption(jsonOption())
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
    .addOption(jsonOption())
    .action(async (workItemId: string, options: Options) => {
      const answered = await send(answerQuestion, { workItemId }, options);
      if (options.json) return printJson(answered);
      print(`${answered.agent} gets the answer with its next heartbeat.`);
    });

  addFlags(item.command('attach <item> <file>').description('attach a file; - is standard input'), addAttachment, [
    'workItemId',
    'fileName',
  ])
    .option('--file-name <name>', 'default: that of the file')
    .addOption(idempotencyKeyOption())
    .addOption(jsonOption())
    .action(attach);

  addFlags(
    item
      .command('complete <item>')
      .description('hand over a finished task: move it to Review and record the AI session'),
    completeAiTask,
    ['workItemId'],
  )
    .addOption(idempotencyKeyOption())
    .addOption(jsonOption())
    .action(async (workItemId: string, options: Options) => {
      const done = await send(completeAiTask, { workItemId }, options);
      warn(done.warnings);
      if (options.json) return printJson(done);
      print(`${workItemId} moved to ${done.movedTo}.`);
    });

  addFlags(
    item.command('claim [items...]').description('claim the best ready task among these items, or else in the project'),
    claimWorkItem,
    ['ids'],
  )
    .addOption(idempotencyKeyOption())
    .addOption(jsonOption())
    .action(claim);

  addFlags(item.command('release <item>').description('give a claimed task back'), releaseWorkItem, ['workItemId'])
    .addOption(idempotencyKeyOption())
    .addOption(jsonOption())
    .action(async (workItemId: string, options: Options) => {
      const released = await send(releaseWorkItem, { workItemId }, options);
      if (options.json) return printJson(released);
      print(`${released.workItem.taskId} is in ${released.workItem.columnName} again.`);
    });
  return item;
}

async function send<Op extends Operation>(operation: Op, named: object, options: Options): Promise<Output<Op>> {
  const input = { ...(await fieldsFrom(operation, options)), ...named } as RawInput<Op>;
  return api().call(operation, input, options);
}

async function create(options: Options): Promise<void> {
  const service = api();
  const fields = await fieldsFrom(createWorkItem, options);
  const boardId = fields.boardId ?? (await defaultBoard(service, fields.projectId as string | undefined));
  const boardColumnId = fields.boardColumnId ?? (await firstColumn(service, boardId as string));
  const given = { ...fields, boardId, boardColumnId } as RawInput<typeof createWorkItem>;
  const made = await service.call(createWorkItem, given, options);
  show(made, options);
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
    return;
  }
  printList(
    found.workItems,
    {
      'TASK ID': (item) => item.taskId,
      TYPE: (item) => item.type,
      COLUMN: (item) => item.columnName,
      PRIORITY: (item) => item.priority,
      ASSIGNEE: (item) => item.assignee,
      TITLE: (item) => item.title,
    },
    'There are no such work items.',
  );
  if (found.nextCursor !== null) print(`\nThere are more: --cursor ${found.nextCursor}`);
}

async function update(id: string, options: Options): Promise<void> {
  const fields = await fieldsFrom(updateWorkItem, options);
  if (Object.keys(fields).length === 0) {
    throw new Failure('usage', 'Say what to change; `worktrack item update --help` lists it.');
  }
  show(await api().call(updateWorkItem, { ...fields, id } as RawInput<typeof updateWorkItem>, options), options);
}

async function attach(item: string, path: string, options: Options): Promise<void> {
  const { fileName, mimeType, uploadedBy, metadata } = await fieldsFrom(addAttachment, options);
  if (path === '-' && fileName === undefined) throw new Failure('usage', 'Pass --file-name: standard input has none.');
  const form = new FormData();
  // The fields come before the file, which is streamed.
  for (const [name, value] of Object.entries({ uploadedBy, mimeType }))
    if (value !== undefined) form.set(name, String(value));
  if (metadata !== undefined) form.set('metadata', JSON.stringify(metadata));
  form.set('file', await blobOf(path), String(fileName ?? basename(path)));
  const attached = (await api().upload(addAttachment, { workItemId: item }, form, options)) as Attachment;
  if (options.json) return printJson(attached);
  print(`${attached.fileName} attached to ${item}.`);
}

async function blobOf(path: string): Promise<Blob> {
  if (path === '-') return new Blob([await buffer(process.stdin)]);
  try {
    if ((await stat(path)).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    return await openAsBlob(path);
  } catch (error) {
    throw unreadable(path, error as NodeJS.ErrnoException);
  }
}

async function claim(ids: string[], options: Options): Promise<void> {
  const service = api();
  const fields = await fieldsFrom(claimWorkItem, options);
  const where = ids.length > 0 ? { ids } : { projectId: fields.projectId ?? service.projectId };
  const claimed = await service.call(claimWorkItem, { ...fields, ...where } as RawInput<typeof claimWorkItem>, options);
  if (options.json) return printJson(claimed);
  const { workItem, lease, reason } = claimed;
  if (!workItem || !lease) return print(reason ?? 'Nothing could be claimed.');
  printRecord({
    'Task ID': workItem.taskId,
    Title: workItem.title,
    'Lease token': lease.token,
    'Until (UTC)': lease.expiresAt,
  });
}

/** For scripts: `id=$(worktrack item create … --field taskId)`. */
const fieldOption = () => new Option('--field <name>', 'print only this field of each item').conflicts('json');

function fieldOf(item: object, field: string): string {
  const value = (item as Readonly<Record<string, unknown>>)[field];
  if (value === undefined) {
    throw new Failure('usage', `There is no field ${field}; there are ${Object.keys(item).join(', ')}.`);
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function show(item: WrittenItem & { readonly created?: boolean }, { json, field }: Options): void {
  warn(item.warnings);
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
    Priority: item.priority,
    Assignee: item.assignee,
    ID: item.id,
  });
  if (item.description !== '') print(`\n${item.description}`);
}
