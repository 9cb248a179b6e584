import { serviceContract } from '../operation.ts';
import { denyConnection, listConnections, openConnection } from './connections.ts';
import { createGrant, listGrants, revokeGrant } from './grants.ts';
import { currentIdentity, recordUse, verifyIdentity } from './identity.ts';
import { listInvitations, makeInvitation, withdrawInvitation } from './invitations.ts';
import { createKey, listKeys, revokeKey, rotateKey, rotateOwnKey } from './keys.ts';
import { namedUsers, nameOfUser } from './named-users.ts';
import { endToken, noteSteps, redeemCode, refreshGrant, registerClient, startConnection } from './oauth.ts';
import { createOrganization, createOwnerKey } from './organizations.ts';
import { createRole, deleteRole, listRoles, updateRole } from './roles.ts';
import { closeSession, createLoginCode, listSessions, openSession, revokeSession } from './sessions.ts';
import { createTrustRule, deleteTrustRule, listTries, listTrustRules, updateTrustRule } from './trust-rules.ts';
import { exchangeToken, exchangeTokenWaiting } from './trust-tokens.ts';
import { createUser, eraseUser, listUsers, updateUser } from './users.ts';

export const keysContract = serviceContract('keys', [
  createKey,
  listKeys,
  revokeKey,
  rotateKey,
  rotateOwnKey,
  listRoles,
  createRole,
  updateRole,
  deleteRole,
  listTrustRules,
  createTrustRule,
  updateTrustRule,
  deleteTrustRule,
  listTries,
  listGrants,
  createGrant,
  revokeGrant,
  listConnections,
  openConnection,
  denyConnection,
  listSessions,
  revokeSession,
  createLoginCode,
  listUsers,
  createUser,
  updateUser,
  eraseUser,
  withdrawInvitation,
  makeInvitation,
  listInvitations,
  namedUsers,
  nameOfUser,
  createOrganization,
  createOwnerKey,
  verifyIdentity,
  currentIdentity,
  recordUse,
  openSession,
  closeSession,
  exchangeToken,
  exchangeTokenWaiting,
  startConnection,
  redeemCode,
  refreshGrant,
  endToken,
  registerClient,
  noteSteps,
]);
