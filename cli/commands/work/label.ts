import { createLabel, deleteLabel, listLabels, updateLabel } from '@worktrack/contracts/projects/label-operations';
import { Command } from 'commander';
import { requireChange } from '../../failure.ts';
import { idempotencyKeyOption, withJson } from '../../options.ts';
import { print, printJson, printList } from '../../output.ts';
import { api } from '../../service/api.ts';
import type { Options } from '../sending.ts';
import { inProject, projectOption } from './in-project.ts';

/** For a refusal: the project is no argument here. */
const OF_PROJECT = { id: '--project-id' };

interface LabelOptions extends Options {
  readonly projectId?: string;
  readonly name?: string;
  readonly colour?: string;
}

export function labelCommand(): Command {
  const label = new Command('label').description('labels of a project');
  label
    .command('list')
    .description('list the labels')
    .addOption(projectOption())
    .action(async (options: LabelOptions) => {
      const labels = await api().call(listLabels, { id: inProject(options) }, { placed: OF_PROJECT });
      if (options.json) return printJson(labels);
      printList(labels, { ID: 'id', NAME: 'name', COLOUR: 'colour' }, 'The project has no labels.');
    });
  label
    .command('create <name>')
    .description('add a label')
    .option('--colour <colour>', 'such as #1f6feb', '#1f6feb')
    .addOption(projectOption())
    .addOption(idempotencyKeyOption())
    .action(async (name: string, options: LabelOptions) => {
      const { colour = '' } = options;
      const made = await api().call(
        createLabel,
        { id: inProject(options), name, colour },
        {
          ...options,
          placed: { ...OF_PROJECT, name: '<name>' },
        },
      );
      if (options.json) return printJson(made);
      print(made.id);
    });
  label
    .command('update <id>')
    .description('rename a label, or change its colour')
    .option('--name <name>', 'what it is called')
    .option('--colour <colour>', 'such as #1f6feb')
    .addOption(projectOption())
    .action(async (labelId: string, options: LabelOptions) => {
      const changes = { name: options.name, colour: options.colour };
      requireChange(changes, 'label update');
      const changed = await api().call(
        updateLabel,
        { id: inProject(options), labelId, ...changes },
        { placed: OF_PROJECT },
      );
      if (options.json) return printJson(changed);
      print(`${changed.name} ${changed.colour}`);
    });
  label
    .command('delete <id>')
    .description('delete a label: no item has it any more')
    .addOption(projectOption())
    .action(async (labelId: string, options: LabelOptions) => {
      const deleted = await api().call(deleteLabel, { id: inProject(options), labelId }, { placed: OF_PROJECT });
      if (options.json) return printJson(deleted);
      print('Deleted.');
    });
  return withJson(label);
}
