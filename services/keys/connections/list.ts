import type { Connection } from '@worktrack/contracts/keys/connection';
import { MAX_CONNECTIONS, type listConnections as operation } from '@worktrack/contracts/keys/connections';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { requireUnlimited } from '../grants/list.ts';
import { isOnlyOrganization } from '../organizations/organizations.repository.ts';
import type { LookupDocument } from './connections.model.ts';
import { connectionsOf, lookupsFrom, recordOf } from './connections.repository.ts';

/**
 * What nobody has signed in for belongs to nobody, and would tell one organization of another's. So it is shown to whoever comes from the same network, and to owners if
 * there is no other organization.
 */
export const listConnections: Read<typeof operation> = async ({ all }, context) => {
  const { caller } = context;
  if (all) requireUnlimited(context);
  const { network } = caller.sender ?? {};
  const seesEverywhere = all && (await isOnlyOrganization(caller.organizationId));
  const [own, lookups] = await Promise.all([
    connectionsOf(context, all ? undefined : caller.userId),
    seesEverywhere || network !== undefined ? lookupsFrom(seesEverywhere ? undefined : network) : [],
  ]);
  const shown = [...own.map(recordOf), ...lookups.map(ofNobody)].sort((one, other) => (one.at < other.at ? 1 : -1));
  return { items: shown.slice(0, MAX_CONNECTIONS) };
};

function ofNobody({ _id, userAgent, steps, updatedAt }: LookupDocument): Connection {
  return recordOf({
    // The network is nobody's business: a name for the row.
    _id: `${updatedAt.getTime()}-${_id.slice(0, 6)}`,
    ...{ organizationId: null, userId: null, clientId: null, clientName: null, clientUri: null, clientDomain: null },
    ...{ redirectUri: null, state: null, issuer: '', network: _id, grantId: null },
    ...{ userAgent, steps, createdAt: updatedAt },
  });
}
