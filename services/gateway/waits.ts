import type { Caller } from '@worktrack/contracts/caller';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { Output } from '@worktrack/contracts/operation';
import type { claimWorkItem } from '@worktrack/contracts/work-items/agents/leases';
import type { Log } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clients } from './clients.ts';
import { goneSignal } from './http/gone.ts';
import type { Authenticator } from './identity/authenticate.ts';
import { sessionTokenOf } from './identity/session-cookie.ts';

/** What a waiting call needs to know about its request. */
export interface OriginOfWait {
  /** Aborted when its client has gone, or this gateway is stopping. */
  gone(): AbortSignal;
  /** Whom its key speaks for by now. @throws OperationError API_KEY_INVALID */
  identify(): Promise<Identity>;
}

export function originOfWait(
  request: FastifyRequest,
  reply: FastifyReply,
  authenticator: Pick<Authenticator, 'recognize'>,
): OriginOfWait {
  return {
    gone: () => goneSignal(reply),
    identify: () =>
      authenticator.recognize(
        request.headers.authorization,
        request,
        request.identity.session && sessionTokenOf(request),
      ),
  };
}

/** Releases what was claimed for a key that was revoked while it waited, so that nobody has to wait for that lease to end. */
export async function giveBack(
  output: unknown,
  { caller, requestId }: { readonly caller: Caller; readonly requestId: string },
  { clients, log }: { readonly clients: Clients; readonly log: Log },
): Promise<void> {
  const { workItem, lease } = output as Partial<Output<typeof claimWorkItem>>;
  if (!workItem || !lease) return;
  const input = { workItemId: workItem.id, leaseToken: lease.token };
  const options = { caller, requestId, idempotencyKey: uuidv7() };
  await clients.workitems
    .call('workItems.release', input, options)
    .catch((error) =>
      log.warn({ error, requestId }, 'What was claimed for a revoked key stays claimed until its lease ends'),
    );
}
