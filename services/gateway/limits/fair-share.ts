import { OpenSet } from '@worktrack/rpc/open-set';
import { registry } from '@worktrack/runtime/process/metrics';
import { Gauge } from 'prom-client';
import { tooMany } from '../http/rate-headers.ts';
import { limited } from './limited.ts';

const waiting = new Gauge({
  name: 'worktrack_gateway_waiting_calls',
  help: 'Calls waiting for their turn because their organization or key has used up its share of concurrent calls.',
  registers: [registry],
});

/** By default, a call that has waited this long is refused: a client that exceeds its share for longer has to slow down. */
const MAX_WAIT_MS = 5_000;
/** Memory held by one organization's waiting calls: beyond this, a call is refused at once. */
const MAX_WAITING_CALLS = 1_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const RETRY_AFTER_MS = 1_000;
/** How long after its last call an organization is assumed to be active. */
const AT_WORK_MS = 10_000;

export interface FairShareLimits {
  /** Concurrent calls of one organization. */
  readonly perOrganization: number;
  /** Concurrent calls of one key, included in its organization's. */
  readonly perKey: number;
  /** Concurrent calls of one organization while another one is active. */
  readonly besideOthers: number;
  /** Concurrent calls of all organizations. */
  readonly atOnce: number;
  readonly maxWaitMs?: number;
}

/** Registers what to do when the client disconnects. @returns a function that unregisters it */
export type WhenGone = (abandon: () => void) => () => void;

interface Waiter {
  /** Among those of its key. */
  id: number;
  readonly organization: Share;
  readonly key: Share;
  readonly bytes: number;
  begin(): void;
}

/** What a key or an organization has in progress and waiting. */
interface Share {
  readonly id: string;
  underWay: number;
}
interface KeyShare extends Share {
  readonly waiting: OpenSet<Waiter>;
}
interface OrganizationShare extends Share {
  readonly keys: Map<string, KeyShare>;
  waitingCalls: number;
  waitingBytes: number;
}

/** A call's place among those in progress; `leave` returns it, once. */
export interface Slot {
  leave(): void;
}

/**
 * One organization's load must not make another wait. The number of concurrent calls per organization, and per key, is limited. Further calls wait and are
 * started in turn: round-robin over waiting organizations, within each over its keys, and within each key in order of arrival. While others are active the
 * share is smaller. Calls in progress are what others' calls queue behind, in event loops, the broker and the database, and starting more at once finishes none
 * sooner. Measured by `npm run bench -- fair`.
 */
export class FairShare {
  readonly #limits: FairShareLimits;
  /** Those with something in progress or waiting. The first is next in turn. */
  readonly #organizations = new Map<string, OrganizationShare>();
  #underWay = 0;
  /** The organization that called last, and when; and when any other last did. */
  #last = { id: '', atMs: -Infinity };
  #otherAtMs = -Infinity;

  constructor(limits: FairShareLimits) {
    this.#limits = limits;
  }

  /**
   * @param bytes memory held by the call while it waits
   * @param whenGone removes the call from the queue if its client disconnects
   * @throws OperationError RATE_LIMITED after `maxWaitMs`, or at once if too much is waiting already
   */
  async enter(organizationId: string, keyId: string, bytes: number, whenGone: WhenGone): Promise<Slot> {
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
      const leaveLine = () => {
        clearTimeout(timer);
        stayed();
        key.waiting.delete(waiter);
        organization.waitingCalls--;
        organization.waitingBytes -= bytes;
        waiting.dec();
      };
      const waiter: Waiter = {
        id: 0,
        organization,
        key,
        bytes,
        // Counted here, not when the promise's reaction runs: the next caller must see it.
        begin: () => {
          leaveLine();
          this.#begin(organization, key);
          resolve();
        },
      };
      const giveUp = () => {
        leaveLine();
        this.#forget(organization, key);
        reject(refusal());
      };
      const timer = setTimeout(giveUp, this.#limits.maxWaitMs ?? MAX_WAIT_MS);
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

  /** In rounds: more than one of an organization begin when its share has grown, because others are no longer active. */
  #beginWaiting(): void {
    for (let hasBegun = true; hasBegun; ) {
      hasBegun = false;
      for (const organization of [...this.#organizations.values()]) {
        if (this.#underWay >= this.#limits.atOnce) return;
        const waiter = organization.waitingCalls > 0 ? this.#nextOf(organization) : undefined;
        if (!waiter) continue;
        // To the end of the line: its next call waits for theirs.
        toEnd(this.#organizations, organization);
        waiter.begin();
        hasBegun = true;
      }
    }
  }

  #nextOf(organization: OrganizationShare): Waiter | undefined {
    for (const key of organization.keys.values()) {
      const [waiter] = key.waiting;
      if (!waiter || !this.#hasRoom(organization, key)) continue;
      toEnd(organization.keys, key);
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
      key = { id, underWay: 0, waiting: new OpenSet() };
      organization.keys.set(id, key);
    }
    return key;
  }

  #forget(organization: OrganizationShare, key: KeyShare): void {
    if (key.underWay === 0 && key.waiting.size === 0) organization.keys.delete(key.id);
    if (organization.keys.size === 0) this.#organizations.delete(organization.id);
  }
}

/** Of what is served in turn. */
function toEnd<T extends { readonly id: string }>(line: Map<string, T>, one: T): void {
  if (line.size === 1) return;
  line.delete(one.id);
  line.set(one.id, one);
}

function refusal() {
  limited.inc({ limit: 'fair-share' });
  return tooMany(
    'Your organization exceeds its share of concurrent calls. Make fewer calls at the same time.',
    RETRY_AFTER_MS,
  );
}
