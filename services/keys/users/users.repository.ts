import type { EventType } from '@worktrack/contracts/events/event';
import { pagination } from '@worktrack/contracts/fields';
import type { RoleRecord, User } from '@worktrack/contracts/keys/records';
import { ERASED_NAME, type listUsers } from '@worktrack/contracts/keys/users';
import type { Input, Output } from '@worktrack/contracts/operation';
import { handleOf } from '@worktrack/contracts/people/mentions';
import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import { inOrder } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { differencesOf } from '@worktrack/runtime/database/outbox/differences';
import { emit } from '@worktrack/runtime/database/outbox/outbox.repository';
import { replaceUnique } from '@worktrack/runtime/database/replace-unique';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { permissionsOfRole } from '../roles/roles.repository.ts';
import type { TellingScope } from '../telling-scope.ts';
import { type UserDocument, UserModel } from './users.model.ts';

export type UserChange = Partial<Pick<UserDocument, 'name' | 'role' | 'projects' | 'disabled'>>;

/** @returns undefined if the organization already has a user with this address */
export async function insertUser(
  scope: TellingScope,
  { projects, ...user }: Pick<UserDocument, 'email' | 'name' | 'role'> & Partial<Pick<UserDocument, 'projects'>>,
): Promise<User | undefined> {
  const { caller, tx } = scope;
  const now = new Date();
  const document: UserDocument = {
    ...user,
    ...(projects && { projects }),
    _id: uuidv7(),
    organizationId: caller.organizationId,
    handle: handleOf(user.name),
    disabled: false,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  try {
    await UserModel.create([document], { session: tx });
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
  const { email, name, role } = document;
  const permissions = await permissionsOfRole(scope, role);
  tell(scope, document, 'user.created', { email, name, role, ...(projects && { projects }), permissions });
  return recordOf(document);
}

/** @param user as it is after the write */
function tell(
  scope: TellingScope,
  { _id: id, revision = 0 }: Pick<UserDocument, '_id' | 'revision'>,
  type: Extract<EventType, `user.${string}`>,
  data: Readonly<Record<string, unknown>>,
): void {
  emit(scope, { type, subject: { kind: 'user', id }, revision, data, ...(scope.isUnattended && { actor: null }) });
}

export async function userById({ caller, tx }: TransactionalScope, id: string): Promise<User | undefined> {
  const { organizationId } = caller;
  const document = await UserModel.findOne({ organizationId, _id: id }, null, { session: tx }).lean();
  return document ? recordOf(document) : undefined;
}

/** For a user whom the transaction has read. @returns the user as changed */
export async function changeUser(scope: TellingScope, user: User, change: UserChange): Promise<User> {
  const { caller, tx } = scope;
  const { organizationId } = caller;
  const document = await UserModel.findOneAndUpdate(
    { organizationId, _id: user.id },
    { $set: { ...change, ...handleAfter(change), updatedAt: new Date() }, $inc: { revision: 1 } },
    { session: tx, returnDocument: 'after' },
  )
    .orFail()
    .lean();
  const changed = recordOf(document);
  const permissions = change.role !== undefined && { permissions: await permissionsOfRole(scope, change.role) };
  tell(scope, document, 'user.updated', { changes: differencesOf(user, changed), ...permissions });
  return changed;
}

const handleAfter = ({ name }: UserChange) => (name === undefined ? {} : { handle: handleOf(name) });

/** What a user is called, of any state. @returns null if there is no such user */
export async function nameOf({ caller: { organizationId } }: Scope, id: string) {
  const user = await UserModel.findOne({ organizationId, _id: id }, { name: 1, email: 1, revision: 1 }).lean();
  return user && { name: user.name, revision: user.revision ?? 0, isErased: isErased({ id, email: user.email }) };
}

/** It stays unique, and leads nowhere (RFC 2606). */
const addressOfErased = (id: string) => `${id}@erased.invalid`;

export const isErased = ({ id, email }: Pick<User, 'id' | 'email'>) => email === addressOfErased(id);

export async function eraseIdentity(scope: TellingScope, { id }: User): Promise<User> {
  const { caller, tx } = scope;
  const { organizationId } = caller;
  const before = await UserModel.findOne({ organizationId, _id: id }, null, { session: tx }).orFail().lean();
  const nobody = { name: ERASED_NAME, handle: id, email: addressOfErased(id), updatedAt: new Date() };
  const document = { ...before, ...nobody, revision: (before.revision ?? 0) + 1 };
  // Whoever comes back may have the address again.
  await replaceUnique(UserModel, document, tx);
  tell(scope, document, 'user.erased', {});
  return recordOf(document);
}

export async function usersOfRole(scope: Scope, role: string): Promise<string[]> {
  return (await membersOf(scope, role)).map(({ _id }) => _id);
}

/** Without those who were erased, who never do anything again. */
async function membersOf({ caller, tx }: Scope, role: string): Promise<Pick<UserDocument, '_id' | 'revision'>[]> {
  const { organizationId } = caller;
  const users = await UserModel.find({ organizationId, role }, { email: 1, revision: 1 }, { session: tx }).lean();
  return users.filter(({ _id: id, email }) => !isErased({ id, email }));
}

/** For a role that nobody but erased users has. */
export async function takeRoleFromErased({ caller, tx }: TransactionalScope, role: string): Promise<void> {
  const { organizationId } = caller;
  await UserModel.updateMany({ organizationId, role }, { $set: { role: 'viewer' } }, { session: tx });
}

/**
 * Called when a role has other permissions now. What was set up in the name of its users, such as webhooks, may exceed these permissions, and so may what the
 * users are told.
 */
export async function tellOfUsers(
  scope: TellingScope,
  { id: role, permissions }: Pick<RoleRecord, 'id' | 'permissions'>,
): Promise<void> {
  const { caller, tx } = scope;
  const { organizationId } = caller;
  // Together: one after the other, thousands take longer than a transaction may.
  await UserModel.updateMany({ organizationId, role }, { $inc: { revision: 1 } }, { session: tx });
  for (const user of await membersOf(scope, role)) tell(scope, user, 'user.updated', { changes: {}, permissions });
}

/** Tells until when a user is invited. */
export async function tellOfInvitation(
  scope: TellingScope,
  userId: string,
  { from, to }: { readonly from?: Date | undefined; readonly to?: Date },
): Promise<void> {
  const { caller, tx } = scope;
  const user = await UserModel.findOneAndUpdate(
    { organizationId: caller.organizationId, _id: userId },
    { $inc: { revision: 1 } },
    { session: tx, returnDocument: 'after' },
  )
    .orFail()
    .lean();
  const invitedUntil = { from: from?.toISOString() ?? null, to: to?.toISOString() ?? null };
  tell(scope, user, 'user.updated', { changes: { invitedUntil } });
}

/** How a user may be meant. */
export interface Meant {
  readonly id?: string;
  readonly email?: string;
  readonly handle?: string;
}

/** Enabled ones, by any of these. To a caller who is limited to projects, those who may see none of them do not exist. */
export async function usersMeant(
  { caller: { organizationId, projects: own } }: Scope,
  meant: readonly Meant[],
): Promise<Pick<UserDocument, '_id' | 'email' | 'name' | 'handle'>[]> {
  const fields = { email: 1, name: 1, handle: 1, projects: 1 } as const;
  const by = (field: string, of: keyof Meant) => {
    const given = meant.map((each) => each[of]).filter((value) => value !== undefined);
    if (given.length === 0) return [];
    return UserModel.find({ organizationId, [field]: oneOf(given), disabled: false }, fields).lean();
  };
  const found = await Promise.all([by('_id', 'id'), by('email', 'email'), by('handle', 'handle')]);
  const existing = found.flat().filter(({ projects }) => !own || !projects || projects.some((id) => own.includes(id)));
  return [...new Map(existing.map((user) => [user._id, user])).values()];
}

export async function activeOwners({ caller: { organizationId }, tx }: TransactionalScope): Promise<User[]> {
  return (await UserModel.find({ organizationId, role: 'owner', disabled: false }, null, { session: tx }).lean()).map(
    recordOf,
  );
}

export async function countActiveOwners({ caller: { organizationId }, tx }: TransactionalScope): Promise<number> {
  return UserModel.countDocuments({ organizationId, role: 'owner', disabled: false }, { session: tx });
}

export async function pageOfUsers(
  { caller: { organizationId } }: Scope,
  { page, limit }: Input<typeof listUsers>,
): Promise<{ readonly users: User[]; readonly pagination: Output<typeof listUsers>['pagination'] }> {
  const skip = (page - 1) * limit;
  const found = await inOrder<UserDocument>(UserModel, {
    filter: { organizationId },
    order: { field: '_id', direction: -1 },
    skip,
    limit: limit + 1,
    present: [],
  });
  // Most organizations are one page: they are not counted as well.
  const isLast = found.length <= limit && (page === 1 || found.length > 0);
  const total = isLast ? skip + found.length : await UserModel.countDocuments({ organizationId });
  return { users: found.slice(0, limit).map(recordOf), pagination: pagination(page, limit, total) };
}

/** Users across organizations, for lookups of keys that arrived together. Each id comes from a key of its user's organization. */
export async function usersById(ids: readonly string[]): Promise<Map<string, User>> {
  const found = await UserModel.find({ _id: oneOf(ids) }).lean();
  return new Map(found.map((document) => [document._id, recordOf(document)]));
}

function recordOf(document: UserDocument): User {
  return {
    id: document._id,
    email: document.email,
    name: document.name,
    role: document.role,
    projects: document.projects ?? null,
    disabled: document.disabled,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
  };
}
