import { MAX_USER_AGENT_LENGTH } from '@worktrack/contracts/audit/entry';
import type { Sender } from '@worktrack/contracts/caller';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { FastifyRequest } from 'fastify';

/** Where a request comes from, as the audit log tells it: the address as the connection, or a trusted proxy, gives it. */
export function addressOf({
  ip,
  headers,
}: Pick<FastifyRequest, 'ip' | 'headers'>): Pick<Sender, 'address' | 'userAgent'> {
  return { address: ip ?? null, userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null };
}

/** And who sent it: a key by its name, a session by its user's, a token by its rule's or its app's. */
export function senderOf(identity: Identity, request: Pick<FastifyRequest, 'ip' | 'headers'>): Sender {
  const { key, session, rule, grant, user } = identity;
  const from = addressOf(request);
  if (rule) return { type: 'rule', id: rule.id, name: key.name, ...from };
  if (session) return { type: 'session', id: key.id, name: user.name, ...from };
  if (grant) return { type: 'grant', id: grant.id, name: key.name, ...from };
  return { type: 'key', id: key.id, name: key.name, ...from };
}
