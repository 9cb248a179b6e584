import { listProjects } from '@worktrack/contracts/projects/project-operations';
import { Command } from 'commander';
import { api } from '../api.ts';
import { addFlags, fieldsFrom } from '../flags.ts';
import { jsonOption } from '../options.ts';
import { type OutputOptions, print, printJson, printList } from '../output.ts';

export function projectCommand(): Command {
  const project = new Command('project').description('projects of the organization');
  addFlags(project.command('list').description('list the projects, newest first'), listProjects)
    .addOption(jsonOption())
    .action(list);
  return project;
}

async function list(options: OutputOptions & Record<string, unknown>): Promise<void> {
  const found = await api().call(listProjects, await fieldsFrom(listProjects, options));
  if (options.json) return printJson(found);
  printList(
    found.projects,
    {
      ID: ({ id }) => id,
      KEY: ({ key }) => key,
      NAME: ({ name }) => name,
      BOARD: ({ defaultBoardId }) => defaultBoardId,
    },
    'There are no projects.',
  );
  if (found.nextCursor !== null) print(`\nThere are more: --cursor ${found.nextCursor}`);
}
