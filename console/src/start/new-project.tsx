import type { createProject } from '@worktrack/contracts/projects/project-operations';
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { useBusy } from '../parts/busy.ts';
import { TextField } from '../parts/form/field.tsx';
import { words as common } from '../parts/messages.ts';
import { setFilters } from '../router.ts';
import { words } from './messages.ts';

export function NewProject() {
  const [name, setName] = useState('');
  const { isBusy, run } = useBusy(common.notCreated);
  const create = (event: Event) => {
    event.preventDefault();
    if (!name.trim()) return;
    void run(async () => {
      const { id } = await call<typeof createProject>('POST /api/projects', { name, gates: 'enforce' });
      await queries.invalidateQueries({ queryKey: ['projects'] });
      // The address may still name one that is gone.
      setFilters({ project: id });
    });
  };
  return (
    <li class="panel">
      <h2>{words.newProject}</h2>
      <form class="stack" onSubmit={create}>
        <TextField label={words.projectName} help={words.newProjectHelp} value={name} onChange={setName} />
        <div>
          <button type="submit" class="button button-main" aria-disabled={isBusy || !name.trim()}>
            {words.create}
          </button>
        </div>
      </form>
    </li>
  );
}
