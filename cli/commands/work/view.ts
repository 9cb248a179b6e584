import { createView, deleteView, listViews, updateView } from '@worktrack/contracts/work-items/lists/view-operations';
import { Command } from 'commander';
import { addFlags, fieldsFrom } from '../../flags.ts';
import { idempotencyKeyOption, withJson } from '../../options.ts';
import { print, printJson, printList } from '../../output.ts';
import { api } from '../../service/api.ts';
import { type Options, send } from '../sending.ts';

export function viewCommand(): Command {
  const view = new Command('view').description('saved views of work items: your own, and those that are shared');
  addFlags(view.command('list').description('list the views, newest first'), listViews).action(
    async (options: Options) => {
      const { projectId = api().projectId, ...rest } = await fieldsFrom(listViews, options);
      const found = await api().call(listViews, { ...rest, ...(projectId !== undefined && { projectId }) } as object);
      if (options.json) return printJson(found);
      printList(
        found.views,
        { ID: 'id', NAME: 'name', FOR: ({ shared }) => (shared ? 'all' : 'you') },
        'There are no views.',
      );
      if (found.nextCursor !== null) print(`\nThere are more: --cursor ${found.nextCursor}`);
    },
  );
  addFlags(view.command('create <name>').description('save a view'), createView, ['name'])
    .addOption(idempotencyKeyOption())
    .action(async (name: string, options: Options & { readonly projectId?: string }) => {
      const { projectId = api().projectId } = options;
      const made = await send(createView, { name, ...(projectId !== undefined && { projectId }) }, options);
      if (options.json) return printJson(made);
      print(made.id);
    });
  addFlags(view.command('update <id>').description('change a view'), updateView, ['id']).action(
    async (id: string, options: Options) => {
      const changed = await send(updateView, { id }, options, 'view update');
      if (options.json) return printJson(changed);
      print(`${changed.name} is ${changed.shared ? 'shared' : 'yours alone'}.`);
    },
  );
  view
    .command('delete <id>')
    .description('delete a view')
    .action(async (id: string, { json }: Options) => {
      const deleted = await api().call(deleteView, { id });
      if (json) return printJson(deleted);
      print('Deleted.');
    });
  return withJson(view);
}
