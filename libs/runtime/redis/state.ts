import type { State } from '../process/service.ts';
import { type Redis, ReplyError } from './connection.ts';

/**
 * For readiness. Its connection may stand, and nobody answer; the client's timeouts bound the wait.
 * @param without what is missing while Redis is, as the end of a sentence
 */
export async function redisState(redis: Redis, without: string): Promise<State> {
  try {
    await redis.ping();
  } catch (error) {
    // What it refuses, it has answered.
    if (error instanceof ReplyError) return undefined;
    return { degraded: `Redis does not answer; ${without}.` };
  }
  return undefined;
}
