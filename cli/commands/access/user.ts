import { inviteUser } from '@worktrack/contracts/gateway/invite';
import { withdrawInvitation } from '@worktrack/contracts/keys/invitations';
import { INVITATION_DAYS, type ListedUser, type User } from '@worktrack/contracts/keys/records';
import { createUser, listUsers, updateUser } from '@worktrack/contracts/keys/users';
import { LANGUAGES, type Language } from '@worktrack/contracts/people/languages';
import { ROLES } from '@worktrack/contracts/permissions';
import { Command, Option } from 'commander';
import { Failure, requireChange } from '../../failure.ts';
import { wholeNumber, withJson } from '../../options.ts';
import { minute, type OutputOptions, print, printJson, printList, printProblem, printRecord } from '../../output.ts';
import { api } from '../../service/api.ts';

const roleOption = () => new Option('--role <role>', `what the user may do: ${ROLES.join(', ')}, or the id of a role`);

export function userCommand(): Command {
  const user = new Command('user').description('users of the organization');
  user
    .command('list')
    .description('list the users, newest first')
    .option('--page <number>', 'which page', wholeNumber)
    .option('--limit <number>', 'users per page', wholeNumber)
    .action(list);
  user
    .command('create')
    .description('add a user')
    .requiredOption('--email <address>', 'e-mail address')
    .requiredOption('--name <name>', 'name')
    .addOption(roleOption().makeOptionMandatory())
    .option('--project <id...>', "the user's only projects; default: all")
    .action(create);
  user
    .command('update <id>')
    .description("rename a user, change the role, limit to projects, disable or enable; the user's keys follow at once")
    .option('--name <name>', 'name')
    .addOption(roleOption())
    .option('--project <id...>', "the user's only projects; `all`: no limit")
    .addOption(new Option('--disable', "make the user's keys invalid").conflicts('enable'))
    .option('--enable', "make the user's keys valid again")
    .action(update);
  user
    .command('invite <id>')
    .description(`mail a user a link that signs in to the console once, within ${INVITATION_DAYS} days, and print it`)
    .addOption(new Option('--language <language>', 'of the mail; default: en').choices(LANGUAGES))
    .action(invite);
  user
    .command('withdraw <id>')
    .description('withdraw the invitation of a user: its link signs nobody in any more')
    .action(withdraw);
  return withJson(user);
}

async function list({ page, limit, json }: OutputOptions & { page?: number; limit?: number }): Promise<void> {
  const found = await api().call(listUsers, { page, limit });
  if (json) return printJson(found);
  printList(
    found.users,
    { ID: 'id', EMAIL: 'email', NAME: 'name', ROLE: 'role', STATE: stateOf, CREATED: (user) => minute(user.createdAt) },
    'There are no users on this page.',
  );
  const { page: shown, totalPages, total } = found.pagination;
  if (totalPages > 1) print(`\nPage ${shown} of ${totalPages}, ${total} users in total; see the next with --page.`);
}

interface CreateOptions extends OutputOptions {
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly project?: string[];
}

async function create({ email, name, role, project, json }: CreateOptions): Promise<void> {
  show(await api().call(createUser, { email, name, role, projects: project }), json);
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
  const changes = { name, role, projects: project?.includes('all') ? null : project, disabled };
  requireChange(changes, 'user update');
  show(await api().call(updateUser, { id, ...changes }), json);
}

async function invite(userId: string, { language, json }: OutputOptions & { language?: Language }): Promise<void> {
  const service = api();
  const made = await service.call(inviteUser, { userId, language });
  if (made.code === null) throw new Failure('refused', 'The answer with the link was lost. Invite the user again.');
  const url = `${service.baseUrl}/console/#code=${made.code}`;
  if (json) return printJson({ url, ...made });
  print(url);
  printProblem(MAILED[made.mail ?? 'off']);
}

const MAILED = {
  sent: 'The user was mailed this link.',
  failed: 'The mail server did not take the mail. Send this link yourself.',
  off: 'No mail was sent. Send this link yourself.',
} as const;

async function withdraw(userId: string, { json }: OutputOptions): Promise<void> {
  const withdrawn = await api().call(withdrawInvitation, { userId });
  if (json) return printJson(withdrawn);
  print(`Withdrawn. The link has signed nobody in since ${withdrawn.withdrawnAt}.`);
}

function show(user: User, json: boolean | undefined): void {
  if (json) printJson(user);
  else printRecord({ ID: user.id, Email: user.email, Name: user.name, Role: user.role, State: stateOf(user) });
}

function stateOf({ disabled, invitation }: User & Partial<Pick<ListedUser, 'invitation'>>): string {
  if (disabled) return 'disabled';
  if (invitation?.state === 'open') return 'invited';
  return invitation?.state === 'ended' ? 'invitation ended' : 'active';
}
