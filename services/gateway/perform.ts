import type { KeyObject } from 'node:crypto';
import type { Caller, Sender } from '@worktrack/contracts/caller';
import { CONTRACTS } from '@worktrack/contracts/catalogue';
import { OperationError } from '@worktrack/contracts/errors';
import { feedbackContract } from '@worktrack/contracts/feedback/contract';
import { gatewayContract } from '@worktrack/contracts/gateway/contract';
import type { Health } from '@worktrack/contracts/gateway/health';
import type { Identity } from '@worktrack/contracts/keys/identity';
import { type Operation, type ServiceContract, waitMsOf } from '@worktrack/contracts/operation';
import { workItemsContract } from '@worktrack/contracts/work-items/contract';
import type { CallOptions, CallTrace, Log, Reply, ServiceClient } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { parseInput } from '@worktrack/runtime/validation/parse';
import type { Clients } from './clients.ts';
import type { Composition, LocalUploads } from './compositions/composition.ts';
import { withoutForeignLinks } from './compositions/foreign-links.ts';
import { assigneesMeant, peopleIn } from './compositions/people.ts';
import { requireProjects } from './compositions/require-projects.ts';
import { compositions } from './compositions/table.ts';
import { networkOf } from './http/client-address.ts';
import { IdempotencyReservations } from './idempotency.ts';
import {
  requirePermissions,
  requireRole,
  requireRolesFor,
  requireSameProjects,
  requireUnlimited,
} from './identity/permissions.ts';
import type { Slot } from './limits/fair-share.ts';
import { LongCalls } from './limits/long-calls.ts';
import { requireNoneOutlasts } from './outlasting.ts';
import { Presence } from './presence.ts';
import { tellingNames } from './renaming.ts';
import { giveBack, type OriginOfWait } from './waits.ts';

/** Who is requesting an operation, and under which ids. */
export interface CallOrigin {
  readonly identity: Identity;
  readonly caller: Caller;
  /** For the audit log. */
  readonly sender: Sender;
  readonly requestId: string;
  /** As given by the client; without one the gateway creates its own, so that a repeated RPC takes effect once. */
  readonly idempotencyKey: string | undefined;
  readonly trace: CallTrace | undefined;
  /** The call's place among those of its organization; see limits/call-places.ts. */
  readonly place: Slot | undefined;
  /** How a waiting call notices that its client has gone, and gets its key checked again. Without it nothing waits. */
  readonly waits?: OriginOfWait;
}

/** Runs an operation for a caller, over REST and MCP alike: permission, input, idempotency, then the service or the composition. */
export type Perform = (
  operation: Operation,
  input: unknown,
  origin: CallOrigin,
  /** For an operation that takes a stream (`bytes: 'up'`). */
  bytes?: AsyncIterable<Uint8Array>,
) => Promise<Reply<unknown>>;

/** The parsed input is for compositions; a service is sent the raw one, since it parses for itself and transformations must not run twice. */
interface GivenInput {
  readonly raw: unknown;
  readonly parsed: unknown;
}
type Run = (
  input: GivenInput,
  options: CallOptions,
  identity: Identity,
  bytes: AsyncIterable<Uint8Array> | undefined,
) => Promise<Reply<unknown>>;

const IS_REFUSED: ReadonlySet<string> = new Set(['API_KEY_INVALID', 'PERMISSION_DENIED']);

export function createPerform(needs: {
  readonly clients: Clients;
  readonly uploads: LocalUploads;
  readonly health: () => Promise<Health>;
  readonly redis: Redis;
  /** Keys the hashes under which addresses are known. */
  readonly addressSecret: KeyObject;
  readonly log: Log;
}): Perform {
  const reservations = new IdempotencyReservations(needs.redis, needs.log);
  const longCalls = new LongCalls();
  const presence = new Presence(needs.redis, needs.log);
  const runs = new Map<Operation, Run>();
  for (const contract of CONTRACTS) {
    for (const operation of Object.values(contract.operations))
      runs.set(operation, runOf(contract, operation, { ...needs, presence }));
  }

  /** After a wait the key may have lost permissions, or be invalid: what the call just got is then given back. @throws OperationError as for a new request */
  async function requireStill(operation: Operation, reply: Reply<unknown>, origin: CallOrigin): Promise<void> {
    try {
      const identity = await origin.waits?.identify();
      if (identity) {
        requirePermissions(identity, operation.permissions);
        requireSameProjects(identity, origin.caller);
      }
    } catch (error) {
      // If that cannot be determined at the moment, a caller that repeats the call is told then.
      if (error instanceof OperationError && IS_REFUSED.has(error.code)) await giveBack(reply.output, origin, needs);
      throw error;
    }
  }

  return async (operation, rawInput, origin, bytes) => {
    requirePermissions(origin.caller, operation.permissions, origin.identity);
    requireUnlimited(origin.caller, operation);
    requireRole(origin.identity, operation.roles);
    const input = { raw: rawInput, parsed: parseInput(operation.input, rawInput) };
    requireRolesFor(origin.identity, operation, input.parsed);
    const waitMs = waitMsOf(operation, input.parsed);
    if (waitMs > 0) origin.place?.leave();
    if (operation.lane !== 'long') return await carryOut(operation, input, waitMs, origin, bytes);
    // It waits for somebody else's server, with a queue of its own in ours, and must not keep the key's other calls waiting.
    origin.place?.leave();
    const slot = await longCalls.takeSlot(operation, origin.caller.organizationId, origin.waits?.gone());
    try {
      return await carryOut(operation, input, waitMs, origin, bytes);
    } finally {
      slot.leave();
    }
  };

  async function carryOut(
    operation: Operation,
    input: GivenInput,
    waitMs: number,
    origin: CallOrigin,
    bytes: AsyncIterable<Uint8Array> | undefined,
  ): Promise<Reply<unknown>> {
    const run = runs.get(operation) as Run;
    const { requestId, trace } = origin;
    // With who sent it only where that is entered: callers that are the same travel once per message.
    const caller = callerFor(operation, input.parsed, origin, needs.addressSecret);
    if (operation.effect === 'read') return await run(input, { caller, requestId, trace }, origin.identity, bytes);
    const write = async (idempotencyKey: string) => {
      const options = { caller, requestId, trace, idempotencyKey };
      if (waitMs === 0) {
        const reply = await tellingNames(operation, input.parsed, needs.clients, options, () =>
          run(input, options, origin.identity, bytes),
        );
        await requireNoneOutlasts(operation, input.parsed, reply, origin, needs);
        return reply;
      }
      const reply = await run(input, { ...options, signal: origin.waits?.gone() }, origin.identity, bytes);
      await requireStill(operation, reply, origin);
      return reply;
    };
    if (origin.idempotencyKey === undefined) return await write(uuidv7());

    const idempotencyKey = origin.idempotencyKey;
    const reservation = await reservations.reserve(caller.organizationId, idempotencyKey, operation, {
      session: caller.sessionProjectId,
      waitMs,
    });
    try {
      const reply = await write(idempotencyKey);
      reservation.keep();
      return reply;
    } catch (error) {
      if (hadNoEffect(error)) reservation.release();
      throw error;
    }
  }
}

function callerFor(
  { audit, auditIf, withSender }: Operation,
  input: unknown,
  { caller, sender }: CallOrigin,
  addressSecret: KeyObject,
): Caller {
  if (withSender) return { ...caller, sender: { ...sender, network: networkOf(sender.address, addressSecret) } };
  const isEntered = audit && (auditIf === undefined || (input as Readonly<Record<string, unknown>>)[auditIf] === true);
  return isEntered ? { ...caller, sender } : caller;
}

function runOf(
  contract: ServiceContract,
  operation: Operation,
  needs: {
    readonly clients: Clients;
    readonly uploads: LocalUploads;
    readonly health: () => Promise<Health>;
    readonly presence: Presence;
  },
): Run {
  const { clients, uploads, health, presence } = needs;
  if (contract.name === gatewayContract.name) {
    const composition = (compositions as unknown as Record<string, Composition<Operation>>)[
      operation.name
    ] as Composition<Operation>;
    const fail = (code: OperationError['code'], message: string, extra?: OperationError['extra']) =>
      new OperationError(code, message, extra);
    return (input, options, identity) =>
      composition(input.parsed, {
        identity,
        caller: options.caller as Caller,
        clients,
        uploads,
        health,
        presence,
        options,
        fail,
      });
  }
  const client = clients[contract.name as keyof Clients] as unknown as ServiceClient<ServiceContract>;
  const namesProjects = operation.effect !== 'read' && contract.name !== workItemsContract.name;
  return async (input, options, identity, bytes) => {
    if (bytes) return client.upload(operation.name, input.raw, bytes, options);
    if (namesProjects) await requireProjects(input.parsed, clients, options);
    const isOfItems = contract.name === workItemsContract.name;
    const isRead = operation.effect === 'read';
    const meant = isOfItems && isRead ? await assigneesMeant(input.parsed, identity, clients, options) : {};
    const people = isOfItems && !isRead ? await peopleIn(input.parsed, identity, clients, options) : undefined;
    const sent = Object.keys(meant).length > 0 ? { ...(input.raw as object), ...meant } : input.raw;
    const caller = options.caller && people ? { ...options.caller, people } : options.caller;
    const reply = await client.exchange(operation.name, sent, { ...options, caller });
    if (!identity.projects || contract.name !== feedbackContract.name) return reply;
    return { ...reply, output: await withoutForeignLinks(reply.output, clients, options) };
  };
}

/** After either of these two nobody knows: the reservation stands until it expires. */
function hadNoEffect(error: unknown): boolean {
  return !(error instanceof OperationError) || (error.code !== 'UNAVAILABLE' && error.code !== 'DEADLINE_EXCEEDED');
}
