import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Names the file in which all processes of a test run record what MongoDB would refuse. Set by the run, and by nothing else. */
export const VIOLATIONS_FILE = 'WORKTRACK_TEST_MONGODB_VIOLATIONS';

export interface NotedViolation {
  readonly rule: string;
  readonly page: string;
  /** Name and collection of the command. */
  readonly command: string;
  readonly who: string;
}

export function note(file: string, violation: NotedViolation): void {
  appendFileSync(file, `${JSON.stringify(violation)}\n`);
}

/** What was recorded, each once, as it is shown at the end of a run. */
export function notedIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const noted = lines.map((line) => JSON.parse(line) as NotedViolation);
  return [...new Set(noted.map(({ rule, page, command, who }) => `${command}: ${rule}\n    ${page}\n    (${who})`))];
}
