import type { Redis } from 'ioredis';

const RUN_ID_LENGTH = 16;
/** Far more than fail over to each other within the minute for which an entry lives. */
const MAX_RECENT = 8;

/**
 * Identifies which run of a Redis server this client talks to, by a random id that the server draws at startup (`run_id` in INFO). A restarted server has a
 * different one, even if it restored a snapshot, and so has a replica that took over. So a name that contains the id is never found again once its server may
 * have lost or undone something.
 */
export interface Incarnation {
  /** For the current connection; undefined while it is not known (or Redis is unavailable). A command sent in the same tick goes to that run. */
  now(): string | undefined;
  /** Waits until it is known; undefined if Redis cannot be asked. */
  runId(): Promise<string | undefined>;
  /** The runs that this client has been connected to last, with the current one. */
  recent(): readonly string[];
}

/** Needs a client that sends a command at once or never, and never again over a new connection: one made by connectRedis, without auto-pipelining. */
export function trackIncarnation(redis: Redis): Incarnation {
  const recent = new Set<string>();
  let runId: string | undefined;
  let connection = 0;
  let asking: Promise<void> | undefined;

  redis.on('close', () => {
    connection++;
    runId = undefined;
    asking = undefined;
  });

  function ask(): Promise<void> {
    const asked = connection;
    const attempt: Promise<void> = redis
      .info('server')
      .then((info) => {
        if (asked !== connection) return;
        runId = /^run_id:(\w+)/m.exec(info)?.[1]?.slice(0, RUN_ID_LENGTH);
        if (runId === undefined) return;
        recent.delete(runId);
        recent.add(runId);
        const [oldest] = recent;
        if (oldest !== undefined && recent.size > MAX_RECENT) recent.delete(oldest);
      })
      // Unavailable or frozen: the next caller that needs it asks again.
      .catch(() => undefined)
      .finally(() => {
        if (asking === attempt) asking = undefined;
      });
    return attempt;
  }

  const askIfReady = () => {
    if (runId === undefined && redis.status === 'ready') asking ??= ask();
  };
  // At once: this run may be over before anybody needs its id.
  redis.on('ready', askIfReady);
  askIfReady();

  return {
    now() {
      askIfReady();
      return runId;
    },
    async runId() {
      if (runId === undefined) {
        asking ??= ask();
        await asking;
      }
      return runId;
    },
    recent: () => [...recent],
  };
}
