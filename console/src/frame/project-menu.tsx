import { useEffect } from 'preact/hooks';
import { goToProject } from '../go-to-project.ts';
import { Icon } from '../parts/icon.tsx';
import { downIcon, settingsIcon } from '../parts/icons.ts';
import { Avatar } from '../parts/people/avatar.tsx';
import { Menu } from '../parts/popup/menu.tsx';
import { chosenProject, useProjects } from '../parts/project.ts';
import { filter, go, setFilters, to } from '../router.ts';
import { may } from '../session.ts';
import { words } from './messages.ts';

/** The project that the screens are about, and the others. */
export function ProjectMenu() {
  return may('projects:read') ? <Choice /> : <span class="frame-project">worktrack</span>;
}

function Choice() {
  const projects = useProjects().data ?? [];
  const project = chosenProject(projects);
  const id = project?.id;
  const isNamed = filter('project') !== undefined;
  // So that the address of every screen can be sent.
  useEffect(() => {
    if (id && !isNamed) setFilters({ project: id });
  }, [id, isNamed]);
  if (!project) return <span class="frame-project">worktrack</span>;
  return (
    <Menu
      class="button button-quiet frame-project"
      label={words.projectChoice({ name: project.name })}
      items={[
        ...projects.map(({ id: each, name }) => ({
          label: name,
          icon: <Avatar name={name} isAgent />,
          checked: each === id,
          run: () => goToProject(each),
        })),
        ...(may('projects:write')
          ? [
              {
                group: '',
                label: words.projectSettings,
                icon: settingsIcon,
                run: () => go(to('settings/project', { project: id })),
              },
            ]
          : []),
      ]}
    >
      <Avatar name={project.name} isAgent />
      <span class="frame-project-name">{project.name}</span>
      <Icon of={downIcon} />
    </Menu>
  );
}
