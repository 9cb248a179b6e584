import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import type { WriteScope } from '../calls/scope.ts';
import { draw } from './counters.repository.ts';

const LETTERS: Readonly<Record<ItemType, string>> = { task: 'T', story: 'S', feature: 'F', epic: 'E', idea: 'I' };

/** Numbers drawn for an item that was then not stored, by counter. They are used next, so that none is skipped. */
const returned = new Map<string, number[]>();

/** `<project key>-<letter of the type>-<number>`; numbers are shared by all types in all projects with that key. */
export async function drawTaskId(scope: WriteScope, projectKey: string, type: ItemType): Promise<string> {
  const name = `task-ids:${projectKey}`;
  const counter = `${scope.caller.organizationId}:${name}`;
  const number = takeReturned(counter) ?? (await draw(scope, name));
  scope.writes.afterwards((outcome) => {
    if (outcome === 'stale' || outcome === 'unused') returned.set(counter, [...(returned.get(counter) ?? []), number]);
  });
  return `${projectKey}-${LETTERS[type]}-${number}`;
}

function takeReturned(counter: string): number | undefined {
  const numbers = returned.get(counter);
  const number = numbers?.shift();
  if (numbers?.length === 0) returned.delete(counter);
  return number;
}
