import { join } from 'node:path';
import { madeOnce, randomSecret } from '../files/made-once.ts';

/** The only user of each server: all services on a machine run as one system user, so there is nobody to distinguish. */
export const USER = 'worktrack';

const MAKERS = {
  rabbitmqPassword: randomSecret,
  /** Anybody who has it can run any code in the broker. */
  erlangCookie: randomSecret,
  redisPassword: randomSecret,
  mongodbPassword: randomSecret,
};

/** The passwords of the stack's own servers. */
export type Credentials = Readonly<Record<keyof typeof MAKERS, string>>;

/** To change one, stop the stack and remove it from the file. */
export function loadCredentials(dataDir: string): Credentials {
  return madeOnce(join(dataDir, 'credentials.json'), MAKERS);
}
