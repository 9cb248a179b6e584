import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningSystem } from '../support/run-system.ts';

/** Everything that the services of a system have written and show of themselves: their logs (and those of its own servers), metrics and readiness. */
export async function wholeOutput({ folder, services }: RunningSystem): Promise<Map<string, string>> {
  const logs = join(folder, 'logs');
  const output = new Map(readdirSync(logs).map((name) => [name, readFileSync(join(logs, name), 'utf8')]));
  for (const { part, opsUrl } of services.replicas) {
    for (const path of ['/metrics', '/health/ready']) {
      output.set(`${part.name}${path}`, await (await fetch(`${opsUrl}${path}`)).text());
    }
  }
  return output;
}

/** Where a secret appears, as `place: name of the secret`; the secret itself is revealed to nobody. */
export function leaks(output: ReadonlyMap<string, string>, secrets: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (const [place, text] of output) {
    for (const [name, secret] of secrets) if (text.includes(secret)) found.push(`${place}: ${name}`);
  }
  return found;
}
