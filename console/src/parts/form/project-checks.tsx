import { useProjects } from '../project.ts';
import { Check } from './check.tsx';

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
          <Check
            label={name}
            checked={chosen.includes(id)}
            onChange={(checked) => onChoose(checked ? [...chosen, id] : chosen.filter((each) => each !== id))}
          />
        </li>
      ))}
    </ul>
  );
}
