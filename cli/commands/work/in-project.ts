import { Option } from 'commander';
import { Failure } from '../../failure.ts';
import { api } from '../../service/api.ts';

export const projectOption = () => new Option('--project-id <id>', 'default: WORKTRACK_PROJECT_ID');

/** For what is always of one project. */
export function inProject({ projectId = api().projectId }: { readonly projectId?: string }): string {
  if (projectId !== undefined) return projectId;
  throw new Failure('usage', 'Say in which project: --project-id, or set WORKTRACK_PROJECT_ID.');
}
