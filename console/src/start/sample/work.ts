import { signal } from '@preact/signals';
import { queries } from '../../api/query.ts';
import { tell, tellFailure } from '../../parts/popup/toasts.tsx';
import type { Project } from '../../parts/project.ts';
import { go, path, to } from '../../router.ts';
import { may } from '../../session.ts';
import { makeSample, STEPS } from './make.ts';
import { words } from './messages.ts';
import { removeSample } from './remove.ts';

interface SampleWork {
  readonly kind: 'making' | 'removing';
  /** From 0 to 1. */
  readonly progress: number;
}

/** What this page is doing with the sample: it continues whichever screen is shown meanwhile. */
export const work = signal<SampleWork | undefined>(undefined);

/** Anybody who creates the sample must be able to remove it. */
export function mayHaveSample(): boolean {
  return (['projects:read', 'projects:write', 'work-items:read', 'work-items:write'] as const).every(may);
}

export function startMaking(): Promise<void> {
  return alone(make);
}

export function startRemoving(project: Project): Promise<void> {
  return alone(async () => {
    await remove(project);
    tell(words.removed);
  });
}

/** If it was interrupted, its progress is unknown. */
export function startAnew(project: Project): Promise<void> {
  return alone(async () => {
    await remove(project);
    await make();
  });
}

async function make(): Promise<void> {
  const id = await makeSample((done, projectId) => {
    work.value = { kind: 'making', progress: Math.min(1, done / STEPS) };
    // So that the board shows it as it grows.
    if (done === 1) void knowProjects().then(() => showBoard(projectId));
  });
  tell(words.ready);
  showBoard(id);
}

async function remove(project: Project): Promise<void> {
  work.value = { kind: 'removing', progress: 0 };
  await removeSample(project, (done, left) => {
    work.value = { kind: 'removing', progress: done / (done + left + 1) };
  });
  await knowProjects();
  showBoard(undefined);
}

/** Before one is shown, or another instead: else the page says that it is gone. */
const knowProjects = () => queries.invalidateQueries({ queryKey: ['projects'] });

/** Not to somebody who is looking at something else meanwhile. */
function showBoard(project: string | undefined): void {
  if (path.peek() === 'board') go(to('board', { project }), 'replace');
}

async function alone(what: () => Promise<void>): Promise<void> {
  if (work.value) return;
  work.value = { kind: 'making', progress: 0 };
  try {
    await what();
  } catch (error) {
    tellFailure(words.interrupted, error);
  } finally {
    work.value = undefined;
    await queries.invalidateQueries();
  }
}
