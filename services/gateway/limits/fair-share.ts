import { registry } from '@worktrack/runtime/process/metrics';
import { Gauge } from 'prom-client';
import { tooMany } from '../http/rate-headers.ts';
import { limited } from './limited.ts';

const waiting = new Gauge({
  name: 'worktrack_gateway_waiting_calls',
  help: 'Calls that wait for their turn, because their organization or their key has as many under way as its share.',
  registers: [registry],
});

/** A call that has waited for so long is refused: whoever asks for more than its share for longer has to ask less. */
const MAX_WAIT_MS = 5_000;
/** What the calls that wait hold in memory, of one organization: beyond it a call is refused at once. */
const MAX_WAITING_CALLS = 1_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const RETRY_AFTER_MS = 1_000;
/** For how long after its last call an organization is taken to be at work. */
const AT_WORK_MS = 10_000;

export interface FairShareLimits {
  /** Calls of one organization that are under way at once. */
  readonly perOrganization: number;
  /** Calls of one key, which are among those of its organization. */
  readonly perKey: number;
  /** Calls of one organization that are under way while another one is at work. */
  readonly besideOthers: number;
  /** Calls of all organizations. */
  readonly atOnce: number;
}

/** Takes what to do when the client has gone. @returns what ends the waiting for it */
export type WhenGone = (abandon: () => void) => () => void;

interface Waiter {
  readonly organization: Share;
  readonly key: Share;
  readonly bytes: number;
  begin(): void;
}

/** What a key, or an organization, has under way, and what waits of it. */
interface Share {
  readonly id: string;
  underWay: number;
}
interface KeyShare extends Share {
  readonly waiting: Set<Waiter>;
}
interface OrganizationShare extends Share {
  readonly keys: Map<string, KeyShare>;
  waitingCalls: number;
  waitingBytes: number;
}

/** A call's place among those under way; given back by `leave`, once. */
export interface Place {
  leave(): void;
}

/**
 * One organization's load does not become another's wait. So many calls of one organization, and of one of its keys, are under way at once; what is
 * beyond waits, and is begun in turn: an organization that waits after the other, of each a key after the other, of each key in the order of arrival.
 * While others are at work the share is smaller: what is under way is what a call of theirs passes on its way, in event loops, the broker and the
 * database, and more of it at once makes none of it sooner. Measured by `npm run bench -- fair`.
 */
export class FairShare {
  readonly #limits: FairShareLimits;
  /** Those with something under way or waiting. The first is next in turn. */
  readonly #organizations = new Map<string, OrganizationShare>();
  #underWay = 0;
  /** The organization that called last, and when; and when any other did. */
  #last = { id: '', atMs: -Infinity };
  #otherAtMs = -Infinity;

  constructor(limits: FairShareLimits) {
    this.#limits = limits;
  }

  /**
   * @param bytes what the call holds in memory while it waits
   * @param whenGone a client that has gone takes its call out of the queue
   * @throws OperationError RATE_LIMITED after MAX_WAIT_MS, or at once where too much waits already
   */
  async enter(organizationId: string, keyId: string, bytes: number, whenGone: WhenGone): Promise<Place> {
    this.#noteCall(organizationId);
    const organization = this.#organizationOf(organizationId);
    const key = this.#keyOf(organization, keyId);
    if (key.waiting.size === 0 && this.#hasRoom(organization, key)) {
      this.#begin(organization, key);
    } else {
      if (
        organization.waitingCalls >= MAX_WAITING_CALLS ||
        (organization.waitingCalls > 0 && organization.waitingBytes + bytes > MAX_WAITING_BYTES)
      ) {
        throw refusal();
      }
      await this.#turn(organization, key, bytes, whenGone);
    }
    let left = false;
    return {
      leave: () => {
        if (left) return;
        left = true;
        this.#end(organization, key);
      },
    };
  }

  #turn(organization: OrganizationShare, key: KeyShare, bytes: number, whenGone: WhenGone): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        stayed();
        key.waiting.delete(waiter);
        organization.waitingCalls--;
        organization.waitingBytes -= bytes;
        waiting.dec();
      };
      const waiter: Waiter = {
        organization,
        key,
        bytes,
        // Counted here, not when the promise's reaction runs: whoever asks next must see it.
        begin: () => {
          settle();
          this.#begin(organization, key);
          resolve();
        },
      };
      const giveUp = () => {
        settle();
        this.#forget(organization, key);
        reject(refusal());
      };
      const timer = setTimeout(giveUp, MAX_WAIT_MS);
      const stayed = whenGone(giveUp);
      key.waiting.add(waiter);
      organization.waitingCalls++;
      organization.waitingBytes += bytes;
      waiting.inc();
    });
  }

  #begin(organization: OrganizationShare, key: KeyShare): void {
    this.#underWay++;
    organization.underWay++;
    key.underWay++;
  }

  #end(organization: OrganizationShare, key: KeyShare): void {
    this.#underWay--;
    organization.underWay--;
    key.underWay--;
    this.#beginWaiting();
    this.#forget(organization, key);
  }

  #beginWaiting(): void {
    for (const organization of [...this.#organizations.values()]) {
      if (this.#underWay >= this.#limits.atOnce) return;
      const waiter = organization.waitingCalls > 0 ? this.#nextOf(organization) : undefined;
      if (!waiter) continue;
      // Behind all others: its next one waits for theirs.
      this.#organizations.delete(organization.id);
      this.#organizations.set(organization.id, organization);
      waiter.begin();
    }
  }

  #nextOf(organization: OrganizationShare): Waiter | undefined {
    for (const key of organization.keys.values()) {
      const [waiter] = key.waiting;
      if (!waiter || !this.#hasRoom(organization, key)) continue;
      organization.keys.delete(key.id);
      organization.keys.set(key.id, key);
      return waiter;
    }
    return undefined;
  }

  #hasRoom(organization: Share, key: Share): boolean {
    const { perOrganization, perKey, besideOthers, atOnce } = this.#limits;
    const share = this.#areOthersAtWork(organization.id) ? Math.min(besideOthers, perOrganization) : perOrganization;
    return this.#underWay < atOnce && organization.underWay < share && key.underWay < perKey;
  }

  #noteCall(organizationId: string): void {
    const atMs = performance.now();
    if (this.#last.id !== organizationId) this.#otherAtMs = this.#last.atMs;
    this.#last = { id: organizationId, atMs };
  }

  #areOthersAtWork(organizationId: string): boolean {
    const lastOfOthersMs = this.#last.id === organizationId ? this.#otherAtMs : this.#last.atMs;
    return performance.now() - lastOfOthersMs <= AT_WORK_MS;
  }

  #organizationOf(id: string): OrganizationShare {
    let organization = this.#organizations.get(id);
    if (!organization) {
      organization = { id, underWay: 0, keys: new Map(), waitingCalls: 0, waitingBytes: 0 };
      this.#organizations.set(id, organization);
    }
    return organization;
  }

  #keyOf(organization: OrganizationShare, id: string): KeyShare {
    let key = organization.keys.get(id);
    if (!key) {
      key = { id, underWay: 0, waiting: new Set() };
      organization.keys.set(id, key);
    }
    return key;
  }

  #forget(organization: OrganizationShare, key: KeyShare): void {
    if (key.underWay === 0 && key.waiting.size === 0) organization.keys.delete(key.id);
    if (organization.keys.size === 0) this.#organizations.delete(organization.id);
  }
}

function refusal() {
  limited.inc({ limit: 'fair-share' });
  return tooMany(
    'Your organization asks for more at once than its share. Make fewer calls at the same time.',
    RETRY_AFTER_MS,
  );
}
