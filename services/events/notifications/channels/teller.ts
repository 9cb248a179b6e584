import { randomUUID } from 'node:crypto';
import type { Log } from '@worktrack/rpc/types';
import { sweepEvery } from '@worktrack/runtime/process/sweep-every';
import { organizationsWith, withinShares } from '../../webhooks/turns/shares.ts';
import { CHANNELS, type Channel } from '../notifications.model.ts';
import type { ChannelRecord } from './channels.model.ts';
import { dueChannels, isAnyDue, releaseChannel, takeChannel } from './channels.repository.ts';
import { MAIL_CONNECTIONS } from './mail.ts';
import { lagSeconds } from './metrics.ts';
import { type TellingParts, tell } from './tell.ts';

const LOOK_EVERY_MS = 2_000;
/** How long a channel is held, far longer than a message takes: after a process has died, another continues then. */
const HELD_MS = 120_000;

/** How many channels are told at once by this process, and how many of them may belong to one organization. */
interface Pool {
  readonly channel: Channel;
  readonly unwell: boolean;
  readonly places: number;
  readonly placesOfOne: number;
  /** Turns, each with its organization. */
  readonly underWay: Map<Promise<void>, string>;
  looking: Promise<void> | undefined;
  /** Something due may have been left for lack of a place. */
  hasMore: boolean;
}

const PLACES: Readonly<Record<Channel, number>> = { mail: MAIL_CONNECTIONS, webhook: 32, push: 32 };

/** Tells what is due, in any number of replicas: a channel of a user is held by one of them while it tells. Those that fail have places of their own, and keep nobody waiting. */
export class Teller {
  readonly #parts: TellingParts;
  readonly #log: Log;
  readonly #holder = randomUUID();
  readonly #pools: readonly Pool[];
  #sweep: { stop(): Promise<void> } | undefined;
  #isStopping = false;

  constructor(parts: TellingParts) {
    this.#parts = parts;
    this.#log = parts.log;
    // Without a server for mail nobody looks for any, nor without keys for what is pushed.
    const isOff: readonly (Channel | false)[] = [!parts.mailer && 'mail', !parts.pusher && 'push'];
    this.#pools = CHANNELS.filter((channel) => !isOff.includes(channel)).flatMap((channel) =>
      [false, true].map((unwell) => ({
        ...{ channel, unwell, places: PLACES[channel], placesOfOne: Math.ceil(PLACES[channel] / 4) },
        ...{ underWay: new Map<Promise<void>, string>(), looking: undefined, hasMore: false },
      })),
    );
  }

  start(): void {
    const failed = 'Could not look up whom to tell of notifications; trying again';
    this.#sweep = sweepEvery(LOOK_EVERY_MS, { log: this.#log, sweep: () => this.#lookEverywhere(), failed }, true);
  }

  /** Waits for the messages in progress. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#sweep?.stop();
    for (const pool of this.#pools) {
      await pool.looking;
      await Promise.all(pool.underWay.keys());
    }
  }

  /** Most of the time nothing is due, which one query finds out for all pools. */
  async #lookEverywhere(): Promise<void> {
    const channels = [...new Set(this.#pools.map(({ channel }) => channel))];
    if (await isAnyDue(channels, new Date())) await Promise.all(this.#pools.map((pool) => this.#look(pool)));
    else for (const channel of channels) lagSeconds.set({ channel }, 0);
  }

  #look(pool: Pool): Promise<void> {
    pool.looking ??= this.#fill(pool).finally(() => {
      pool.looking = undefined;
    });
    return pool.looking;
  }

  /** Begins a turn of whatever is due, for as long as there are places. */
  async #fill(pool: Pool): Promise<void> {
    const { channel, unwell, places, placesOfOne, underWay } = pool;
    while (!this.#isStopping) {
      const now = new Date();
      const ofOrganizations = [...underWay.values()];
      const notOf = organizationsWith(ofOrganizations, placesOfOne);
      const due = await dueChannels({ channel, unwell, now, limit: places, notOf });
      if (!unwell) lagSeconds.set({ channel }, due[0]?.dueAt ? (now.getTime() - due[0].dueAt.getTime()) / 1000 : 0);
      const chosen = withinShares(due, ofOrganizations, placesOfOne).slice(0, places - underWay.size);
      const taken = await Promise.all(chosen.map((each) => this.#take(each, now)));
      const begun = taken.filter((each) => each !== undefined);
      for (const each of begun) this.#begin(each, pool);
      pool.hasMore = due.length === places || due.length > chosen.length;
      if (begun.length === 0) return;
    }
  }

  #take(channel: ChannelRecord, now: Date): Promise<ChannelRecord | undefined> {
    return takeChannel(channel, this.#holder, now, new Date(now.getTime() + HELD_MS));
  }

  #begin(channel: ChannelRecord, pool: Pool): void {
    const turn = this.#turn(channel).then(() => {
      pool.underWay.delete(turn);
      if (pool.hasMore && !this.#isStopping)
        this.#look(pool).catch((error) => this.#log.warn({ error }, 'Could not look up whom to tell next'));
    });
    pool.underWay.set(turn, channel.organizationId);
  }

  async #turn(channel: ChannelRecord): Promise<void> {
    const takenAtMs = performance.now();
    // A process that was frozen may find that another has continued.
    const isStillHeld = () => performance.now() - takenAtMs < HELD_MS / 2;
    try {
      await releaseChannel(channel, await tell(channel, this.#parts, isStillHeld));
    } catch (error) {
      // Held until its time is over, and due then.
      this.#log.warn({ error, channel: channel.channel }, 'A user could not be told of notifications; trying again');
    }
  }
}
