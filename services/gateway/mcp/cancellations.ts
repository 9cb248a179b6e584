import { randomUUID } from 'node:crypto';
import type { Caller } from '@worktrack/contracts/caller';
import type { Log } from '@worktrack/rpc/types';
import type { Redis } from '@worktrack/runtime/redis/connection';
import type { FastifyReply, FastifyRequest } from 'fastify';

const SESSION = 'mcp-session-id';
const CHANNEL = 'wt:mcp-cancelled';
/** Ours have 36 characters. A client may send any name, and this bounds how much of it is kept. */
const MAX_NAME_CHARS = 200;

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
}

/**
 * Handles `notifications/cancelled` for waiting calls. Clients that speak 2025-11-25 or an earlier version leave the request open when they give a call up. The
 * next task would then be claimed for nobody, and held for its whole lease. The notification names the request by an id, and each client counts ids from 0. So
 * a client gets an `Mcp-Session-Id`, which tells its requests from those of others with the same key. Nobody stores that id: any gateway takes it, and one that
 * restarts ends nothing. A client without one closes its connection, as 2026-07-28 has all do.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation
 *
 * The notification may come to another gateway, so all are told, through Redis. While Redis is unavailable, only the gateway that got it knows: elsewhere the
 * wait ends with its time.
 */
export class Cancellations {
  readonly #waiting = new Map<string, AbortController>();
  readonly #redis: Redis;
  /** A connection of its own: one that listens can do nothing else. */
  readonly #listening: Redis;
  readonly #log: Log;

  constructor(redis: Redis, log: Log) {
    this.#redis = redis;
    this.#log = log;
    this.#listening = redis.duplicate();
    // The other connection's owner says so.
    this.#listening.on('error', () => {});
    this.#listening.on('ready', () => {
      this.#listening
        .subscribe(CHANNEL)
        .catch((error) => log.warn({ error }, 'Calls that are cancelled at another gateway go on waiting here'));
    });
    this.#listening.on('message', (_channel, name) => this.#waiting.get(name)?.abort());
  }

  close(): void {
    this.#listening.disconnect();
  }

  /** Tells the client that begins how to call itself. */
  begin(message: unknown, reply: FastifyReply): void {
    if (methodOf(message) === 'initialize') reply.header(SESSION, randomUUID());
  }

  /** @returns aborted when the client cancels its call */
  signalOf(message: unknown, { request, reply, caller }: Exchange): AbortSignal {
    const cancelled = new AbortController();
    const name = nameOf(request, caller, (message as { readonly id?: unknown }).id);
    if (name === undefined) return cancelled.signal;
    this.#waiting.set(name, cancelled);
    reply.raw.once('close', () => {
      if (this.#waiting.get(name) === cancelled) this.#waiting.delete(name);
    });
    return cancelled.signal;
  }

  /** Takes note of the message if it cancels a call. */
  async note(message: unknown, request: FastifyRequest, caller: Caller): Promise<void> {
    if (methodOf(message) !== 'notifications/cancelled') return;
    const { params } = message as { readonly params?: { readonly requestId?: unknown } | null };
    const name = nameOf(request, caller, params?.requestId);
    if (name === undefined) return;
    const waiting = this.#waiting.get(name);
    if (waiting) waiting.abort();
    else {
      await this.#redis
        .publish(CHANNEL, name)
        .catch((error) => this.#log.debug({ error }, 'A call that was cancelled goes on waiting at another gateway'));
    }
  }
}

/** Every message passes here, so nothing more of it is read than it takes. */
const methodOf = (message: unknown): unknown => (message as { readonly method?: unknown } | null)?.method;

/** Of a request, among those of all clients; undefined if its client has no session, or the id is none. */
function nameOf({ headers }: FastifyRequest, { keyId }: Caller, requestId: unknown): string | undefined {
  const session = headers[SESSION];
  if (session === undefined || (typeof requestId !== 'string' && typeof requestId !== 'number')) return undefined;
  const name = JSON.stringify([keyId, session, requestId]);
  return name.length <= MAX_NAME_CHARS ? name : undefined;
}
