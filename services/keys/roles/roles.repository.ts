import type { RoleRecord } from '@worktrack/contracts/keys/records';
import { type Permission, ROLE_PERMISSIONS, ROLES, type Role } from '@worktrack/contracts/permissions';
import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { replaceUnique } from '@worktrack/runtime/database/replace-unique';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { type RoleDocument, RoleModel } from './roles.model.ts';

const BUILT_IN: readonly RoleRecord[] = ROLES.map((role) => ({
  id: role,
  name: role,
  permissions: [...ROLE_PERMISSIONS[role]],
  builtIn: true,
}));

export function isBuiltIn(role: string): role is Role {
  return ROLES.includes(role as Role);
}

/** The organization's own, in the order of their names. */
async function customRoles({ caller: { organizationId }, tx }: Scope): Promise<RoleRecord[]> {
  const documents = await RoleModel.find({ organizationId }, null, { sort: { uniqueName: 1 }, session: tx }).lean();
  return documents.map(recordOf);
}

export async function allRoles(scope: Scope): Promise<RoleRecord[]> {
  return [...BUILT_IN, ...(await customRoles(scope))];
}

export async function countCustomRoles({ caller, tx }: TransactionalScope): Promise<number> {
  return RoleModel.countDocuments({ organizationId: caller.organizationId }, { session: tx });
}

/** @param id of a custom role, or the name of a built-in one */
export async function roleById({ caller: { organizationId }, tx }: Scope, id: string): Promise<RoleRecord | undefined> {
  if (isBuiltIn(id)) return BUILT_IN.find((role) => role.id === id);
  const document = await RoleModel.findOne({ organizationId, _id: id }, null, { session: tx }).lean();
  return document ? recordOf(document) : undefined;
}

/** What users with this role may do: nothing, if there is no such role. */
export async function permissionsOfRole(scope: Scope, role: string): Promise<readonly Permission[]> {
  return (await roleById(scope, role))?.permissions ?? [];
}

/** Across organizations, for lookups of keys that arrived together: each role comes from a user of its organization. */
export async function permissionsOfRoles(roles: Iterable<string>): Promise<Map<string, readonly Permission[]>> {
  const found = new Map<string, readonly Permission[]>(BUILT_IN.map(({ id, permissions }) => [id, permissions]));
  const custom = [...new Set(roles)].filter((role) => !isBuiltIn(role));
  if (custom.length === 0) return found;
  const documents = await RoleModel.find({ _id: oneOf(custom) }).lean();
  for (const { _id, permissions } of documents) found.set(_id, permissions);
  return found;
}

/** @returns undefined if another role has the name */
export async function insertRole(
  { caller: { organizationId }, tx }: TransactionalScope,
  role: Pick<RoleDocument, 'name' | 'permissions'>,
): Promise<RoleRecord | undefined> {
  const document: RoleDocument = { ...role, _id: uuidv7(), organizationId, uniqueName: uniqueNameOf(role.name) };
  return unlessTaken(async () => {
    await RoleModel.create([document], { session: tx });
    return recordOf(document);
  });
}

/** @returns undefined if another role has the name */
export async function changeRole(
  { caller: { organizationId }, tx }: TransactionalScope,
  id: string,
  { name, permissions }: Pick<RoleDocument, 'name' | 'permissions'>,
): Promise<RoleRecord | undefined> {
  return unlessTaken(async () => {
    const before = await RoleModel.findOne({ organizationId, _id: id }, null, { session: tx }).orFail().lean();
    const document = { ...before, name, uniqueName: uniqueNameOf(name), permissions };
    await replaceUnique(RoleModel, document, tx);
    return recordOf(document);
  });
}

export async function removeRole({ caller, tx }: TransactionalScope, id: string): Promise<void> {
  await RoleModel.deleteOne({ organizationId: caller.organizationId, _id: id }, { session: tx });
}

async function unlessTaken<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

const uniqueNameOf = (name: string) => name.toLowerCase();

function recordOf({ _id, name, permissions }: RoleDocument): RoleRecord {
  return { id: _id, name, permissions, builtIn: false };
}
