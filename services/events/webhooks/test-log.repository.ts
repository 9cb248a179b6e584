import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Scope } from '@worktrack/runtime/database/scope';
import mongoose from 'mongoose';
import type { EventLog } from './event-log.ts';
import { eventOf, TestLogModel } from './test-log.model.ts';

/** A log that tests write directly, without the queues that lead to it. */
export class TestLog implements EventLog {
  async append({ caller }: Scope, events: readonly LoggedEvent[]): Promise<void> {
    const { organizationId } = caller;
    await TestLogModel.insertMany(
      events.map((event) => ({ _id: event.id, organizationId, seq: event.seq, event: JSON.stringify(event) })),
    );
  }

  /** As the end of their time does. */
  async forgetBefore({ caller }: Scope, seq: number): Promise<void> {
    const { organizationId } = caller;
    await TestLogModel.deleteMany({ organizationId, seq: mongoose.trusted({ $lt: seq }) });
  }

  async after({ caller }: Scope, seq: number, limit: number): Promise<LoggedEvent[]> {
    const { organizationId } = caller;
    const found = await TestLogModel.find({ organizationId, seq: mongoose.trusted({ $gt: seq, $lt: seq + limit + 1 }) })
      .sort({ seq: 1 })
      .lean();
    return found.map(eventOf);
  }

  async at({ caller }: Scope, seqs: readonly number[]): Promise<Map<number, LoggedEvent>> {
    if (seqs.length === 0) return new Map();
    const { organizationId } = caller;
    const found = await TestLogModel.find({ organizationId, seq: mongoose.trusted({ $in: seqs }) }).lean();
    return new Map(found.map((record) => [record.seq, eventOf(record)]));
  }

  async bounds({ caller, tx }: Scope): Promise<{ readonly head: number; readonly oldest: number }> {
    const { organizationId } = caller;
    const seqs = (
      await TestLogModel.find({ organizationId }, { seq: 1 })
        .session(tx ?? null)
        .lean()
    ).map(({ seq }) => seq);
    return seqs.length === 0 ? { head: 0, oldest: 1 } : { head: Math.max(...seqs), oldest: Math.min(...seqs) };
  }

  async heads(organizationIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const heads = new Map<string, number>();
    for (const organizationId of organizationIds) {
      heads.set(organizationId, (await this.bounds({ caller: { organizationId } })).head);
    }
    return heads;
  }
}
