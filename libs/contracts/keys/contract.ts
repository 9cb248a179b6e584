import { serviceContract } from '../operation.ts';
import { currentIdentity, recordUse, verifyIdentity } from './identity.ts';
import { createKey, listKeys, revokeKey } from './keys.ts';
import { createOrganization } from './organizations.ts';
import { closeSession, createLoginCode, listSessions, openSession, revokeSession } from './sessions.ts';
import { createUser, listUsers, updateUser } from './users.ts';

export const keysContract = serviceContract('keys', [
  createKey,
  listKeys,
  revokeKey,
  listSessions,
  revokeSession,
  createLoginCode,
  listUsers,
  createUser,
  updateUser,
  createOrganization,
  verifyIdentity,
  currentIdentity,
  recordUse,
  openSession,
  closeSession,
]);
