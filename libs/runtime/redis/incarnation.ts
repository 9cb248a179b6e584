import type { Redis } from 'ioredis';

const RUN_ID_LENGTH = 16;

/**
 * Tells which run of a Redis server this client talks to: a random id that the server draws when it starts (`run_id` of INFO).
 * A restarted server, also one that restored a snapshot, and a replica that took over have another one, so a name that holds it
 * is never found again once the server that it was written on may have lost or undone something.
 */
export interface Incarnation {
  /** Of the connection as it is now; undefined while it is not known (or Redis is unavailable). A command that is sent in the same tick goes to that run. */
  now(): string | undefined;
  /** Waits for it to be known; undefined when it cannot be asked. */
  known(): Promise<string | undefined>;
}

/** Needs a client that sends a command at once or never, and never again over a new connection: as connectRedis makes it, without auto-pipelining. */
export function trackIncarnation(redis: Redis): Incarnation {
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
        if (asked === connection) runId = /^run_id:(\w+)/m.exec(info)?.[1]?.slice(0, RUN_ID_LENGTH);
      })
      // Away or frozen: whoever needs it next asks again.
      .catch(() => undefined)
      .finally(() => {
        if (asking === attempt) asking = undefined;
      });
    return attempt;
  }

  return {
    now() {
      if (runId === undefined && redis.status === 'ready') asking ??= ask();
      return runId;
    },
    async known() {
      if (runId === undefined) {
        asking ??= ask();
        await asking;
      }
      return runId;
    },
  };
}
