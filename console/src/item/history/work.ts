import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { HistoryEntry } from './past.ts';

/** What was done under one claim, or, without one, what a session recorded. */
export interface Work {
  readonly id: string;
  /** Absent: a person, or an agent without a claim. */
  readonly agent: string | undefined;
  readonly run: string | undefined;
  readonly models: readonly string[];
  /** Whose key it was. */
  readonly userId: string;
  readonly keyId: string;
  /** Newest first. */
  readonly steps: readonly HistoryEntry[];
  /** The steps may go on further back than what was read. */
  readonly hasMoreSteps: boolean;
  readonly isHeld: boolean;
  readonly isAbandoned: boolean;
  readonly heartbeats: number;
  readonly durationMs: number;
  readonly tokens: number;
  /** In dollars; undefined: no session has a known price, or none has been recorded yet. */
  readonly cost: number | undefined;
  /** Some session has no known price. */
  readonly isUnpriced: boolean;
  /** Of its latest step. */
  readonly at: string;
}

interface Past {
  /** Newest first. */
  readonly events: readonly HistoryEntry[];
  /** Whether these are all that there are. */
  readonly isWhole: boolean;
  /** Those of the type `ai_session`, newest first, also from before `events`. */
  readonly sessions: readonly HistoryEntry[];
  readonly lease: WorkItem['lease'];
}

/** An item's work, session by session, the latest first. An item is held by one agent at a time, so each one's steps are together. */
export function worksOf({ events, isWhole, sessions, lease }: Past, nowMs: number): readonly Work[] {
  const read = new Set(events.map(({ id }) => id));
  const earlier = sessions.filter(({ id }) => !read.has(id));
  const groups = new Map<string, HistoryEntry[]>();
  for (const entry of [...events, ...earlier]) {
    const id = idOf(entry);
    if (id === undefined) continue;
    const group = groups.get(id);
    if (group) group.push(entry);
    else groups.set(id, [entry]);
  }
  const begunFirst = [...groups.keys()].filter((id) => groups.get(id)?.some((entry) => read.has(entry.id))).at(-1);
  return [...groups].map(([id, steps]): Work => {
    const [latest, first] = [steps[0], steps.at(-1)] as [HistoryEntry, HistoryEntry];
    const recorded = steps.filter(({ eventType }) => eventType === 'ai_session').map(({ data }) => data);
    // Who acted, not whoever found later that the lease had run out.
    const actor = (steps.find((step) => step.actor.agent !== undefined) ?? latest).actor;
    const agent = actor.agent ?? textOf(recorded[0]?.agent);
    const isHeld = lease !== null && agent === lease.agent && first.createdAt >= lease.claimedAt;
    const prices = recorded.map(({ estimatedCost }) => Number(estimatedCost));
    const priced = prices.filter((price) => !Number.isNaN(price));
    const models = [...recorded.map(({ model }) => model), ...steps.map((step) => step.actor.model)];
    const saidMs = sum(recorded.map(({ durationMs }) => durationMs));
    const begunMs = Date.parse(isHeld ? lease.claimedAt : first.createdAt);
    return {
      ...{ id, agent, steps, isHeld },
      run: actor.run ?? textOf(recorded[0]?.run),
      models: [...new Set(models.flatMap((model) => textOf(model) ?? []))],
      userId: actor.userId,
      keyId: actor.keyId,
      hasMoreSteps: !isWhole && (id === begunFirst || !read.has(latest.id)),
      isAbandoned: recorded.some(({ sessionType }) => sessionType === 'abandoned'),
      // Each session counts from the claim on.
      heartbeats: Math.max(0, ...recorded.map(({ heartbeats }) => Number(heartbeats ?? 0))),
      durationMs: (!isHeld && saidMs) || (isHeld ? nowMs : Date.parse(latest.createdAt)) - begunMs,
      tokens: sum(recorded.map(({ totalTokens }) => totalTokens)) + ((isHeld && lease.tokensSoFar) || 0),
      cost: priced.length > 0 ? sum(priced) : undefined,
      isUnpriced: priced.length < prices.length,
      at: latest.createdAt,
    };
  });
}

/** Whether an entry tells of somebody's work, rather than of a change by hand. */
export function idOf({ id, eventType, data, actor }: HistoryEntry): string | undefined {
  if (eventType !== 'ai_session') return actor.run;
  return textOf(data.run) ?? actor.run ?? id;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function sum(values: readonly unknown[]): number {
  return values.reduce<number>((total, value) => total + (typeof value === 'number' ? value : 0), 0);
}
