import { useState } from 'preact/hooks';
import { ProjectChecks } from '../parts/form/project-checks.tsx';
import { SelectField } from '../parts/form/select.tsx';
import { words as parts } from '../parts/messages.ts';
import { chosenProject, useProjects } from '../parts/project.ts';
import { identity } from '../session.ts';
import { words } from './messages.ts';

// Which projects exist for a user, a key or a rule of trust, and which one a source or a webhook belongs to.

const MAX_NAMED = 5;

/** A fact of a row; nothing of what is not limited. */
export function InProjects({ ids }: { readonly ids: readonly string[] | null }) {
  const projects = useProjects().data;
  if (ids === null) return null;
  if (!projects || ids.length > MAX_NAMED) return <li>{words.inProjects({ n: ids.length })}</li>;
  const nameOf = (id: string) => projects.find((project) => project.id === id)?.name ?? words.deletedProject;
  return <li>{words.onlyIn({ projects: ids.map(nameOf).join(', ') })}</li>;
}

export interface Limit {
  readonly chosen: readonly string[];
  readonly choose: (chosen: readonly string[]) => void;
  /** Nothing as long as it was not changed: it may name projects that were deleted since, and is not lifted by that. */
  readonly changed: { readonly projects: string[] | null } | undefined;
}

/** What is chosen of the projects. @param limit as stored */
export function useLimit(limit: readonly string[] | null): Limit {
  const projects = useProjects().data ?? [];
  const [changed, setChanged] = useState<string[]>();
  return {
    chosen: changed ?? limit ?? [],
    choose: (chosen) => setChanged(projects.map(({ id }) => id).filter((id) => chosen.includes(id))),
    changed: changed && { projects: changed.length > 0 ? changed : null },
  };
}

export function OnlyProjects({ limit: { chosen, choose } }: { readonly limit: Limit }) {
  const projects = useProjects().data ?? [];
  if (projects.length === 0) return null;
  return (
    <fieldset class="field">
      <legend class="label">{words.onlyProjects}</legend>
      <ProjectChecks chosen={chosen} onChoose={choose} />
    </fieldset>
  );
}

/** The project that a source or a webhook belongs to, or is to: of whoever is limited to projects, one of these, unless it was deleted. */
export function useProjectOf(record: { readonly projectId?: string | undefined } | undefined) {
  const projects = useProjects().data ?? [];
  const [chosen, choose] = useState(record && (record.projectId ?? ''));
  return [chosen ?? ((identity.value?.projects && chosenProject(projects)?.id) || ''), choose] as const;
}

interface ProjectFieldProps {
  /** Empty: it belongs to none. */
  readonly value: string;
  readonly onChoose: (projectId: string) => void;
}

export function ProjectField({ value, onChoose }: ProjectFieldProps) {
  const projects = useProjects().data ?? [];
  if (projects.length === 0) return null;
  return (
    <SelectField
      label={parts.project}
      value={value}
      options={projects.map(({ id, name }) => [id, name])}
      {...(!identity.value?.projects && { none: words.allProjects })}
      onChoose={onChoose}
    />
  );
}
