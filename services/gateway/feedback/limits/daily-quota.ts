import { OperationError } from '@worktrack/contracts/errors';
import type { Log } from '@worktrack/rpc/types';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { CountedWindows } from '@worktrack/runtime/redis/counted-windows';
import { type Rate, tooMany } from '../../http/rate-headers.ts';
import type { KnownSource } from '../source-entry.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The submission that would exceed the organization's quota. */
export class QuotaUsedUp extends OperationError {}

/** The right to one submission of the day. */
export interface Share {
  readonly rate: Rate;
  /** There are none left. */
  readonly isBeyond: boolean;
  /** For a submission that was refused after all, or stored before. */
  giveBack(): Promise<void>;
}

/**
 * Counts an organization's submissions in days that begin with the first one, over all gateways. Only those that are stored count: the others give their
 * share back.
 */
export class DailyQuotas {
  readonly #days: CountedWindows;

  constructor(needs: { readonly redis: Redis; readonly log: Log }) {
    this.#days = new CountedWindows({ ...needs, name: 'feedback quotas', windowMs: DAY_MS });
  }

  /** @returns undefined if the organization has no quota */
  async take({ organizationId, feedbackPerDay: limit }: KnownSource): Promise<Share | undefined> {
    if (limit === undefined) return undefined;
    const { count, resetMs } = await this.#days.count(organizationId);
    const giveBack = () => this.#days.giveBack(organizationId);
    const rate = { name: 'day', limit, windowMs: DAY_MS, remaining: Math.max(0, limit - count), resetMs };
    return { rate, isBeyond: count > limit, giveBack };
  }
}

export function quotaUsedUp({ resetMs }: Rate): QuotaUsedUp {
  const { code, message, extra } = tooMany(
    'The organization has accepted as much feedback as it does in a day.',
    resetMs,
  );
  return new QuotaUsedUp(code, message, extra);
}
