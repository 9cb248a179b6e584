import type { RawInput } from '@worktrack/contracts/operation';
import type { getProject, updateProject } from '@worktrack/contracts/projects/project-operations';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { currentOf } from '../../api/service-error.ts';
import { attempt } from '../../parts/busy.ts';
import { words as parts } from '../../parts/messages.ts';
import { tell } from '../../parts/popup/toasts.tsx';
import { did } from '../../parts/popup/undo.ts';
import type { Project } from '../../parts/project.ts';
import { words } from './messages.ts';

export type ProjectChanges = Omit<RawInput<typeof updateProject>, 'id' | 'version'>;

/** Saves, shows it, and offers to undo it unless others have changed the same since. @throws what was refused */
export async function saveProject(
  project: Project,
  changes: ProjectChanges,
  { said, version }: { readonly said?: string; readonly version?: number } = {},
): Promise<void> {
  const { id } = project;
  const saved = await write(id, changes, version);
  const fields = Object.keys(changes) as (keyof ProjectChanges & keyof Project)[];
  did(said ?? words.changed({ name: saved.name }), async () => {
    const now = await call<typeof getProject>('GET /api/projects/:id', { id });
    if (fields.some((field) => JSON.stringify(now[field]) !== JSON.stringify(saved[field]))) {
      throw new Error(words.overtaken);
    }
    await write(id, Object.fromEntries(fields.map((field) => [field, project[field]])));
  });
  for (const warning of saved.warnings ?? []) tell(warning, { label: parts.close, run: () => {} });
}

/** The same for what is done at once, without a form. */
export function changeProject(project: Project, changes: ProjectChanges): Promise<void> {
  return attempt(parts.notChanged, () => saveProject(project, changes));
}

async function write(id: string, changes: ProjectChanges, version?: number) {
  const saved = await call<typeof updateProject>('PATCH /api/projects/:id', { id, ...changes }, { version });
  await queries.invalidateQueries({ queryKey: ['projects'] });
  return saved;
}

/** Changes a record as it is now: read again as often as another change of it comes first. */
export async function changedAsItIs<T, Changed>(read: () => Promise<T>, change: (now: T) => Promise<Changed>) {
  let before: T = await read();
  for (;;) {
    try {
      return { before, after: await change(before) };
    } catch (error) {
      const current = currentOf<T>(error);
      if (!current) throw error;
      before = current;
    }
  }
}
