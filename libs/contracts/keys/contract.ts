import { serviceContract } from '../operation.ts';
import { currentIdentity, recordUse, verifyIdentity } from './identity.ts';
import { createKey, listKeys, revokeKey } from './keys.ts';
import { createOrganization } from './organizations.ts';
import { createUser, listUsers, updateUser } from './users.ts';

export const keysContract = serviceContract('keys', [
  createKey,
  listKeys,
  revokeKey,
  listUsers,
  createUser,
  updateUser,
  createOrganization,
  verifyIdentity,
  currentIdentity,
  recordUse,
]);
