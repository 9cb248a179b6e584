import type { keysContract } from '@worktrack/contracts/keys/contract';
import { type Identity, MAX_USES_PER_REPORT } from '@worktrack/contracts/keys/identity';
import type { Log, ServiceClient } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { reportEvery } from '../report-every.ts';

/** `lastUsedAt` should be right within 5 s: the interval, plus what the message and its write take. */
const REPORT_INTERVAL_MS = 2_000;
const REPORT_DEADLINE_MS = 2_000;
/** While the keys service is unavailable, uses are kept up to this many keys; beyond it the oldest are dropped. */
const MAX_KEYS_KEPT = 50_000;

interface Use {
  readonly organizationId: string;
  readonly keyId: string;
  readonly isSession: boolean;
  readonly isGrant: boolean;
  atMs: number;
}

/** Gathers when keys, sessions and grants were used and reports it every REPORT_INTERVAL_MS: one message for all keys, not a write per request. */
export class LastUse {
  readonly #keys: ServiceClient<typeof keysContract>;
  readonly #log: Log;
  readonly #reports = reportEvery(REPORT_INTERVAL_MS, () => this.#send());
  #uses = new Map<string, Use>();

  constructor(keys: ServiceClient<typeof keysContract>, log: Log) {
    this.#keys = keys;
    this.#log = log;
  }

  note(identity: Identity): void {
    // Of a rule of trust, it is noted when it gives a token.
    if (identity.rule) return;
    const keyId = identity.key.id;
    const use = this.#uses.get(keyId);
    if (use) use.atMs = Date.now();
    else {
      const [isSession, isGrant] = [identity.session !== undefined, identity.grant !== undefined];
      this.#uses.set(keyId, { organizationId: identity.organization.id, keyId, isSession, isGrant, atMs: Date.now() });
    }
  }

  stop(): Promise<void> {
    return this.#reports.stop();
  }

  async #send(): Promise<void> {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    for (let from = 0; from < uses.length; from += MAX_USES_PER_REPORT) {
      const part = uses.slice(from, from + MAX_USES_PER_REPORT);
      const requestId = uuidv7();
      try {
        await this.#keys.call(
          'keys.recordUse',
          { uses: part.map(({ atMs, ...key }) => ({ ...key, at: new Date(atMs).toISOString() })) },
          { requestId, idempotencyKey: requestId, deadlineMs: REPORT_DEADLINE_MS },
        );
      } catch (error) {
        this.#log.warn(
          { error, requestId, keys: part.length },
          'The last use of keys could not be reported; kept for the next time',
        );
        this.#keep(part);
      }
    }
  }

  #keep(part: readonly Use[]): void {
    for (const use of part) {
      if (this.#uses.size >= MAX_KEYS_KEPT) return;
      if (!this.#uses.has(use.keyId)) this.#uses.set(use.keyId, use);
    }
  }
}
