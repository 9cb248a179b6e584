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
  // Nor of one that is gone.
  const { id, name = '–' } = project ?? {};
  const isNamed = filter('project') !== undefined;
  // So that the address of every screen can be sent.
  useEffect(() => {
    if (id && !isNamed) setFilters({ project: id });
  }, [id, isNamed]);
  if (!projects[0]) return <span class="frame-project">worktrack</span>;
  return (
    <Menu
      class="button button-quiet frame-project"
      label={words.projectChoice({ name })}
      items={[
        ...projects.map(({ id: each, name: label }) => ({
          label,
          icon: <Avatar name={label} isAgent />,
          checked: each === id,
          run: () => goToProject(each),
        })),
        ...(id && may('projects:write')
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
      <Avatar name={name} isAgent />
      <span class="frame-project-name">{name}</span>
      <Icon of={downIcon} />
    </Menu>
  );
}
