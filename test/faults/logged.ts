import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the services logged about a request: their logs go with the run. @param folder of the system */
export function loggedAbout(requestId: string, folder: string): string[] {
  const logs = join(folder, 'logs');
  return readdirSync(logs)
    .flatMap((file) => readFileSync(join(logs, file), 'utf8').split('\n'))
    .filter((line) => line.includes(requestId));
}
