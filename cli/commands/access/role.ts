import type { RoleRecord } from '@worktrack/contracts/keys/records';
import { createRole, deleteRole, listRoles, updateRole } from '@worktrack/contracts/keys/roles';
import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import { Command, Option } from 'commander';
import { requireChange } from '../../failure.ts';
import { withJson } from '../../options.ts';
import { type OutputOptions, print, printJson, printList, printRecord } from '../../output.ts';
import { api } from '../../service/api.ts';

const permissionOption = () =>
  new Option('--permission <permission...>', 'what its users may do, at most').choices(PERMISSIONS);

export function roleCommand(): Command {
  const role = new Command('role').description('roles that users of the organization can have');
  role.command('list').description('list the roles').action(list);
  role
    .command('create')
    .description('create a role')
    .requiredOption('--name <name>', 'name')
    .addOption(permissionOption().makeOptionMandatory())
    .action(create);
  role
    .command('update <id>')
    .description("rename a role, or replace its permissions; its users' keys follow at once")
    .option('--name <name>', 'name')
    .addOption(permissionOption())
    .action(update);
  role.command('delete <id>').description('delete a role that nobody has').action(remove);
  return withJson(role);
}

async function list({ json }: OutputOptions): Promise<void> {
  const found = await api().call(listRoles, {});
  if (json) return printJson(found);
  printList(
    found.roles,
    { ID: 'id', NAME: 'name', PERMISSIONS: ({ permissions }) => permissions.join(' ') },
    'There are no roles.',
  );
}

interface RoleOptions extends OutputOptions {
  readonly name?: string;
  readonly permission?: Permission[];
}

async function create({ name = '', permission = [], json }: RoleOptions): Promise<void> {
  show(await api().call(createRole, { name, permissions: permission }), json);
}

async function update(id: string, { name, permission, json }: RoleOptions): Promise<void> {
  const changes = { name, permissions: permission };
  requireChange(changes, 'role update');
  show(await api().call(updateRole, { id, ...changes }), json);
}

async function remove(id: string, { json }: OutputOptions): Promise<void> {
  const removed = await api().call(deleteRole, { id });
  if (json) printJson(removed);
  else print('Deleted.');
}

function show(role: RoleRecord, json: boolean | undefined): void {
  if (json) printJson(role);
  else printRecord({ ID: role.id, Name: role.name, Permissions: role.permissions.join(' ') });
}
