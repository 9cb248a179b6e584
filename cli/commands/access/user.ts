import type { User } from '@worktrack/contracts/keys/records';
import { createUser, listUsers, updateUser } from '@worktrack/contracts/keys/users';
import { ROLES } from '@worktrack/contracts/permissions';
import { Command, Option } from 'commander';
import { Failure } from '../../failure.ts';
import { jsonOption, wholeNumber } from '../../options.ts';
import { minute, type OutputOptions, print, printJson, printList, printRecord } from '../../output.ts';
import { api } from '../../service/api.ts';

const roleOption = () => new Option('--role <role>', `what the user may do: ${ROLES.join(', ')}, or the id of a role`);

export function userCommand(): Command {
  const user = new Command('user').description('users of the organization');
  user
    .command('list')
    .description('list the users, newest first')
    .option('--page <number>', 'which page', wholeNumber)
    .option('--limit <number>', 'users per page', wholeNumber)
    .addOption(jsonOption())
    .action(list);
  user
    .command('create')
    .description('add a user')
    .requiredOption('--email <address>', 'e-mail address')
    .requiredOption('--name <name>', 'name')
    .addOption(roleOption().makeOptionMandatory())
    .addOption(jsonOption())
    .action(create);
  user
    .command('update <id>')
    .description("rename a user, change the role, limit to projects, disable or enable; the user's keys follow at once")
    .option('--name <name>', 'name')
    .addOption(roleOption())
    .option('--project <id...>', "the user's only projects; `all`: no limit")
    .addOption(new Option('--disable', "make the user's keys invalid").conflicts('enable'))
    .option('--enable', "make the user's keys valid again")
    .addOption(jsonOption())
    .action(update);
  return user;
}

async function list({ page, limit, json }: OutputOptions & { page?: number; limit?: number }): Promise<void> {
  const found = await api().call(listUsers, { page, limit });
  if (json) return printJson(found);
  printList(
    found.users,
    {
      ID: (user) => user.id,
      EMAIL: (user) => user.email,
      NAME: (user) => user.name,
      ROLE: (user) => user.role,
      STATE: stateOf,
      CREATED: (user) => minute(user.createdAt),
    },
    'There are no users on this page.',
  );
  const { page: shown, totalPages, total } = found.pagination;
  if (totalPages > 1) print(`\nPage ${shown} of ${totalPages}, ${total} users in total; see the next with --page.`);
}

async function create(options: OutputOptions & { email: string; name: string; role: string }): Promise<void> {
  const { email, name, role, json } = options;
  show(await api().call(createUser, { email, name, role }), json);
}

interface UpdateOptions extends OutputOptions {
  readonly name?: string;
  readonly role?: string;
  readonly project?: string[];
  readonly disable?: boolean;
  readonly enable?: boolean;
}

async function update(id: string, { name, role, project, disable, enable, json }: UpdateOptions): Promise<void> {
  const disabled = disable ? true : enable ? false : undefined;
  const projects = project?.includes('all') ? null : project;
  if (name === undefined && role === undefined && disabled === undefined && projects === undefined) {
    throw new Failure('usage', 'Say what to change: --name, --role, --project, --disable or --enable.');
  }
  show(await api().call(updateUser, { id, name, role, projects, disabled }), json);
}

function show(user: User, json: boolean | undefined): void {
  if (json) printJson(user);
  else printRecord({ ID: user.id, Email: user.email, Name: user.name, Role: user.role, State: stateOf(user) });
}

function stateOf(user: User): string {
  return user.disabled ? 'disabled' : 'active';
}
