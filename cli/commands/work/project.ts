import { createProject, listProjects, updateProject } from '@worktrack/contracts/projects/project-operations';
import { Command } from 'commander';
import { addFlags, fieldsFrom } from '../../flags.ts';
import { idempotencyKeyOption, withJson } from '../../options.ts';
import { type OutputOptions, print, printJson, printList, printRecord, warn } from '../../output.ts';
import { api } from '../../service/api.ts';
import { type Options, send } from '../sending.ts';

export function projectCommand(): Command {
  const project = new Command('project').description('projects of the organization');
  addFlags(project.command('list').description('list the projects, newest first'), listProjects).action(list);
  for (const [name, operation, description, placed, changing] of [
    ['create <name>', createProject, 'create a project, with a board', 'name', undefined],
    ['update <id>', updateProject, 'change fields of a project', 'id', 'project update'],
  ] as const) {
    addFlags(project.command(name).description(description), operation, [placed])
      .addOption(idempotencyKeyOption())
      .action(async (value: string, options: Options) => {
        const written = await send(operation, { [placed]: value }, options, changing);
        warn(written, options);
        if (options.json) return printJson(written);
        printRecord({
          ID: written.id,
          Key: written.key,
          Name: written.name,
          Gates: written.gates,
          Board: written.defaultBoardId,
        });
      });
  }
  return withJson(project);
}

async function list(options: OutputOptions & Record<string, unknown>): Promise<void> {
  const found = await api().call(listProjects, await fieldsFrom(listProjects, options));
  if (options.json) return printJson(found);
  printList(found.projects, { ID: 'id', KEY: 'key', NAME: 'name', BOARD: 'defaultBoardId' }, 'There are no projects.');
  if (found.nextCursor !== null) print(`\nThere are more: --cursor ${found.nextCursor}`);
}
