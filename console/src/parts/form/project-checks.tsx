import { useProjects } from '../project.ts';

interface ProjectChecksProps {
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

/** Chooses some of the projects. */
export function ProjectChecks({ chosen, onChoose }: ProjectChecksProps) {
  const projects = useProjects().data ?? [];
  return (
    <ul class="plain">
      {projects.map(({ id, name }) => (
        <li key={id}>
          <label class="settings-check">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ currentTarget }) =>
                onChoose(currentTarget.checked ? [...chosen, id] : chosen.filter((each) => each !== id))
              }
            />
            {name}
          </label>
        </li>
      ))}
    </ul>
  );
}
