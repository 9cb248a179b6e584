import type { ConnectionProblem } from '@worktrack/contracts/keys/connection';
import type { Log } from '@worktrack/rpc/types';
import type { Destinations } from '@worktrack/runtime/outbound/destination';
import { fetchJson } from '@worktrack/runtime/outbound/fetch-json';
import { sharedRun } from '@worktrack/runtime/process/shared-run';
// RFC 9111 in 4 kB: what max-age, Expires, Age, no-store and their like come to. Made in 2016, still released, and used by most HTTP clients of npm.
import CachePolicy from 'http-cache-semantics';
import { LRUCache } from 'lru-cache';
import type { ClientDocument } from './clients.model.ts';
import { readClient, storeDocument } from './clients.repository.ts';
import { clientIn, type DescribedClient, isDocumentAddress } from './document.ts';

const FETCH_MS = 5_000;
const MAX_BYTES = 64 * 1_024;
const DAY_MS = 24 * 60 * 60_000;
/** How long a client whose document was not to be had is not asked again, by a replica. */
const FAILED_MS = 60_000;
const MAX_FAILED = 1_000;
/** Whoever sends browsers here chooses what is fetched: never more than this wait at once, in a replica, also for the same document. */
const MAX_AT_ONCE = 20;
/** And of one address no more than this: waiting for documents that never come, it would leave no place for others. */
const MAX_AT_ONCE_PER_NETWORK = 5;

export interface KnownClient extends DescribedClient {
  readonly id: string;
  /** Where its document was fetched from. `null`: it has registered itself. */
  readonly domain: string | null;
}

export interface UnknownClient {
  readonly problem: ConnectionProblem;
  readonly detail: string;
}

const NEITHER: UnknownClient = {
  problem: 'unknown-client',
  detail: 'It is neither the address of a client metadata document nor the id of a client that has registered here.',
};

const BUSY: UnknownClient = {
  problem: 'document-unreachable',
  detail: 'Too many documents are being fetched. Try again.',
};

/** The apps that ask for something: by their documents, kept for as long as these say, and by their registrations. */
export class Clients {
  readonly #destinations: Destinations;
  readonly #log: Log;
  readonly #underWay = new Map<string, Promise<KnownClient | UnknownClient>>();
  /** From where each that waits has come. */
  readonly #waiting: string[] = [];
  readonly #failed = new LRUCache<string, UnknownClient>({ max: MAX_FAILED, ttl: FAILED_MS });

  constructor({ destinations, log }: { readonly destinations: Destinations; readonly log: Log }) {
    this.#destinations = destinations;
    this.#log = log;
  }

  /**
   * @param network from where it is asked for
   * @returns the same for all who ask at once
   */
  async find(clientId: string, network: string): Promise<KnownClient | UnknownClient> {
    const ofNetwork = this.#waiting.filter((each) => each === network).length;
    if (this.#waiting.length >= MAX_AT_ONCE || ofNetwork >= MAX_AT_ONCE_PER_NETWORK) {
      const stored = await readClient(clientId);
      if (stored) return known(stored);
      return isDocumentAddress(clientId) ? BUSY : NEITHER;
    }
    this.#waiting.push(network);
    try {
      return await sharedRun(this.#underWay, clientId, () => this.#find(clientId));
    } finally {
      this.#waiting.splice(this.#waiting.indexOf(network), 1);
    }
  }

  async #find(clientId: string): Promise<KnownClient | UnknownClient> {
    const stored = await readClient(clientId);
    if (!isDocumentAddress(clientId)) return stored ? known(stored) : NEITHER;
    if (stored?.freshUntil && stored.freshUntil.getTime() > Date.now()) return known(stored);
    const failed = this.#failed.get(clientId);
    if (failed) return failed;
    return await this.#fetch(clientId, stored);
  }

  async #fetch(clientId: string, stored: ClientDocument | undefined): Promise<KnownClient | UnknownClient> {
    const limits = {
      destinations: this.#destinations,
      maxBytes: MAX_BYTES,
      signal: AbortSignal.timeout(FETCH_MS),
    };
    let answer: Awaited<ReturnType<typeof fetchJson>>;
    try {
      answer = await fetchJson(clientId, limits);
    } catch (error) {
      const { message } = error as Error;
      this.#log.info({ clientId, reason: message }, "A client's document could not be fetched");
      // What its server said before is better than nothing, while that is away.
      if (stored) return known(stored);
      return this.#hasFailed(clientId, { problem: 'document-unreachable', detail: message });
    }
    const described = clientIn(answer.value, clientId);
    if (typeof described === 'string') {
      return this.#hasFailed(clientId, { problem: 'document-invalid', detail: described });
    }
    await storeDocument(clientId, described, Math.min(DAY_MS, freshForMs(clientId, answer.headers)));
    return { ...described, id: clientId, domain: new URL(clientId).host };
  }

  #hasFailed(clientId: string, failure: UnknownClient): UnknownClient {
    this.#failed.set(clientId, failure);
    return failure;
  }
}

function freshForMs(url: string, headers: CachePolicy.Headers): number {
  const policy = new CachePolicy({ url, method: 'GET', headers: {} }, { status: 200, headers }, { shared: true });
  return policy.storable() ? policy.timeToLive() : 0;
}

function known({ _id: id, name, uri, redirectUris, fetchedAt }: ClientDocument): KnownClient {
  return { id, name, uri, redirectUris, domain: fetchedAt ? new URL(id).host : null };
}
