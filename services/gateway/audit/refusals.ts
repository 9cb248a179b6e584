import { MAX_REFUSALS_PER_REPORT, type Refusal } from '@worktrack/contracts/audit/operations';
import type { Sender } from '@worktrack/contracts/caller';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { Operation } from '@worktrack/contracts/operation';
import type { Log } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Clients } from '../clients.ts';
import { reportEvery } from '../report-every.ts';
import { routeOf } from '../rest/route.ts';

const REPORT_INTERVAL_MS = 1_000;
const REPORT_DEADLINE_MS = 5_000;
const MINUTE_MS = 60_000;
/** While the events service is unavailable, refusals of this many kinds are kept; beyond it new ones are not counted. */
const MAX_KINDS_KEPT = 50_000;

export interface Refused {
  readonly identity: Identity;
  readonly sender: Sender;
  readonly requestId: string;
  readonly operation: Operation;
  /** The operation's input, unchecked: the first field of the route's path names the target. */
  readonly input: unknown;
}

/** Counts what authenticated callers were refused, and reports it every REPORT_INTERVAL_MS: the audit log gets an entry per caller, action and minute. */
export class Refusals {
  readonly #events: Clients['events'];
  readonly #log: Log;
  readonly #reports = reportEvery(REPORT_INTERVAL_MS, () => this.#send());
  #counted = new Map<string, Refusal>();

  constructor(events: Clients['events'], log: Log) {
    this.#events = events;
    this.#log = log;
  }

  note({ identity, sender, requestId, operation, input }: Refused): void {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    const key = [sender.id, operation.name, minute].join();
    const counted = this.#counted.get(key);
    if (!counted && this.#counted.size >= MAX_KINDS_KEPT) return;
    const [field = ''] = routeOf(operation)?.placeholders ?? [];
    const id = ((input ?? {}) as Readonly<Record<string, unknown>>)[field];
    const isNamed = operation.audit !== undefined && typeof id === 'string' && id.length <= MAX_ID_LENGTH;
    const { type, id: actorId, name, address, userAgent } = sender;
    this.#counted.set(key, {
      organizationId: identity.organization.id,
      action: operation.name,
      minute,
      actor: { type, id: actorId ?? identity.key.id, name, userId: identity.user.id },
      targets: isNamed ? [{ type: operation.audit, id, name: null }] : [],
      context: { address, userAgent, requestId },
      ...counted,
      count: (counted?.count ?? 0) + 1,
    });
  }

  stop(): Promise<void> {
    return this.#reports.stop();
  }

  async #send(): Promise<void> {
    const refusals = [...this.#counted.values()];
    this.#counted = new Map();
    for (let from = 0; from < refusals.length; from += MAX_REFUSALS_PER_REPORT) {
      const part = refusals.slice(from, from + MAX_REFUSALS_PER_REPORT);
      const requestId = uuidv7();
      const options = { requestId, idempotencyKey: requestId, deadlineMs: REPORT_DEADLINE_MS };
      try {
        await this.#events.call('audit.recordRefusals', { refusals: part }, options);
      } catch (error) {
        this.#log.warn(
          { error, requestId, refusals: part.length },
          'Refusals could not be reported; kept for the next time',
        );
        for (const refusal of part) this.#keep(refusal);
      }
    }
  }

  #keep(refusal: Refusal): void {
    const key = [refusal.actor.id, refusal.action, refusal.minute].join();
    const count = refusal.count + (this.#counted.get(key)?.count ?? 0);
    if (this.#counted.size < MAX_KINDS_KEPT) this.#counted.set(key, { ...refusal, count });
  }
}

const MAX_ID_LENGTH = 100;
