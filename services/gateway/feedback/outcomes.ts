import { type ErrorCode, OperationError } from '@worktrack/contracts/errors';
import type { feedbackContract } from '@worktrack/contracts/feedback/contract';
import type { recordOutcomes } from '@worktrack/contracts/feedback/outcomes';
import { MAX_COUNTS_PER_REPORT, OUTCOMES, type Outcome } from '@worktrack/contracts/feedback/outcomes';
import { isPublicKey } from '@worktrack/contracts/feedback/public-key';
import type { RawInput } from '@worktrack/contracts/operation';
import type { Log, ServiceClient } from '@worktrack/rpc/types';
import { registry } from '@worktrack/runtime/process/metrics';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { reportEvery } from '../report-every.ts';
import { QuotaUsedUp } from './limits/daily-quota.ts';

const REPORT_EVERY_MS = 2_000;
const REPORT_DEADLINE_MS = 2_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Public keys that nobody has checked, as made-up ones: beyond this many between two reports, further ones are only in the metric. */
const MAX_UNCHECKED = 100;
/** Enough for all sources that are busy at one time. */
const MAX_CHECKED = 10_000;

/** `stored`, `spooled`, and `repeated`: one that was accepted before, which is not counted again for its source. */
type Accepted = 'stored' | 'spooled' | 'repeated';
type Refused = Exclude<Outcome, 'accepted'> | 'source' | 'unavailable' | 'failed';

const submissions = new Counter({
  name: 'worktrack_intake_outcomes_total',
  help: 'What became of submissions: accepted (stored, spooled, or repeated), or refused, and why.',
  labelNames: ['outcome', 'reason'],
  registers: [registry],
});

const REFUSED_BY: Partial<Record<ErrorCode, Refused>> = {
  DUPLICATE_FEEDBACK: 'duplicate',
  RATE_LIMITED: 'rate',
  CAPTCHA_REQUIRED: 'captcha',
  CAPTCHA_INVALID: 'captcha',
  ORIGIN_NOT_ALLOWED: 'origin',
  SOURCE_NOT_FOUND: 'source',
  UNAVAILABLE: 'unavailable',
  DEADLINE_EXCEEDED: 'unavailable',
  INTERNAL: 'failed',
};

type Counts = RawInput<typeof recordOutcomes>['counts'][number];
interface Report {
  readonly key: string;
  readonly counts: readonly Counts[];
}

/** Counts what becomes of submissions: in the metric at once, and for each source and day with one report for all every REPORT_EVERY_MS. */
export class Outcomes {
  readonly #feedback: ServiceClient<typeof feedbackContract>;
  readonly #log: Log;
  readonly #reporting = reportEvery(REPORT_EVERY_MS, () => this.#report());
  #counts = new Map<string, Counts>();
  #unchecked = 0;
  /** Public keys of sources, lately seen: what strangers make up does not displace them. */
  readonly #checked = new LRUCache<string, true>({ max: MAX_CHECKED });
  /** What could not be reported yet. Each keeps its key, so that it is added once however often it is sent. */
  #reports: Report[] = [];

  constructor(feedback: ServiceClient<typeof feedbackContract>, log: Log) {
    this.#feedback = feedback;
    this.#log = log;
    for (const reason of ['stored', 'spooled', 'repeated'] as const)
      submissions.inc({ outcome: 'accepted', reason }, 0);
    for (const reason of new Set([...Object.values(REFUSED_BY), 'quota', 'invalid'])) {
      submissions.inc({ outcome: 'refused', reason }, 0);
    }
  }

  /** There is a source with this public key. */
  found(publicKey: string): void {
    this.#checked.set(publicKey, true);
  }

  accepted(publicKey: string, how: Accepted): void {
    submissions.inc({ outcome: 'accepted', reason: how });
    if (how !== 'repeated') this.#count(publicKey, 'accepted');
  }

  /** @param publicKey as it was sent, by whomever */
  refused(publicKey: unknown, error: unknown): void {
    const reason = reasonOf(error);
    submissions.inc({ outcome: 'refused', reason });
    if (!(OUTCOMES as readonly string[]).includes(reason)) return;
    if (typeof publicKey === 'string' && isPublicKey(publicKey)) this.#count(publicKey, reason as Outcome);
  }

  stop(): Promise<void> {
    return this.#reporting.stop();
  }

  #count(publicKey: string, outcome: Outcome): void {
    const day = today();
    const key = `${publicKey} ${day}`;
    let counts = this.#counts.get(key);
    if (!counts) {
      if (!this.#checked.has(publicKey) && this.#unchecked++ >= MAX_UNCHECKED) return;
      counts = { publicKey, day, accepted: 0, duplicate: 0, rate: 0, quota: 0, captcha: 0, origin: 0, invalid: 0 };
      this.#counts.set(key, counts);
    }
    counts[outcome]++;
  }

  async #report(): Promise<void> {
    // While the last one waits, the counts of a day go on in the same entries: there are never more of them than sources and days.
    if (this.#reports.length === 0) {
      const all = [...this.#counts.values()];
      this.#counts = new Map();
      this.#unchecked = 0;
      for (let from = 0; from < all.length; from += MAX_COUNTS_PER_REPORT) {
        this.#reports.push({ key: uuidv7(), counts: all.slice(from, from + MAX_COUNTS_PER_REPORT) });
      }
    }
    for (let report = this.#reports[0]; report; report = this.#reports[0]) {
      const { key: idempotencyKey, counts } = report;
      const options = { requestId: uuidv7(), idempotencyKey, deadlineMs: REPORT_DEADLINE_MS };
      try {
        await this.#feedback.call('outcomes.record', { counts: [...counts] }, options);
      } catch (error) {
        this.#log.debug({ error }, 'The outcomes of submissions could not be reported; kept for the next time');
        return;
      }
      this.#reports.shift();
    }
  }
}

function reasonOf(error: unknown): Refused {
  if (error instanceof QuotaUsedUp) return 'quota';
  if (error instanceof OperationError) return REFUSED_BY[error.code] ?? 'invalid';
  const { statusCode } = (error ?? {}) as { readonly statusCode?: unknown };
  return typeof statusCode === 'number' && statusCode < 500 ? 'invalid' : 'failed';
}

let dayNumber = 0;
let day = '';
/** In UTC. */
function today(): string {
  const number = Math.floor(Date.now() / DAY_MS);
  if (number !== dayNumber) {
    dayNumber = number;
    day = new Date(number * DAY_MS).toISOString().slice(0, 10);
  }
  return day;
}
