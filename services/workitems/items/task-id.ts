import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import { draw } from '../counters/counters.repository.ts';
import type { Scope } from '../scope.ts';

const LETTERS: Readonly<Record<ItemType, string>> = { task: 'T', story: 'S', feature: 'F', epic: 'E', idea: 'I' };

/** `<project key>-<letter of the type>-<number>`; the number counts up over all types of all projects with that key. */
export async function drawTaskId(scope: Scope, projectKey: string, type: ItemType): Promise<string> {
  return `${projectKey}-${LETTERS[type]}-${await draw(scope, `task-ids:${projectKey}`)}`;
}
