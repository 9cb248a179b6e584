import { join } from 'node:path';
import { madeOnce, randomSecret } from '../made-once.ts';

/** The one user of each server: all services of a machine run as one user of its system, so there is nobody to tell apart. */
export const USER = 'worktrack';

/** What the stack's own servers ask for. */
export interface Credentials {
  readonly rabbitmqPassword: string;
  /** With it, anybody could run any code in the broker. */
  readonly erlangCookie: string;
  readonly redisPassword: string;
  readonly mongodbPassword: string;
}

/** To change one, stop the stack and take it out of the file. */
export function loadCredentials(dataDir: string): Credentials {
  return madeOnce(join(dataDir, 'credentials.json'), {
    rabbitmqPassword: randomSecret,
    erlangCookie: randomSecret,
    redisPassword: randomSecret,
    mongodbPassword: randomSecret,
  });
}
