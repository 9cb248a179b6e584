import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { words as common } from '../../parts/messages.ts';
import { Gone } from '../../parts/page/gone.tsx';
import { Empty, Loaded } from '../../parts/page/states.tsx';
import { chosenProject, type Project as ProjectRecord, useProjects } from '../../parts/project.ts';
import { filter, to } from '../../router.ts';
import { identity, may } from '../../session.ts';
import { SettingsSection } from '../section.tsx';
import { Boards } from './boards.tsx';
import { Budgets } from './budgets.tsx';
import { General } from './general.tsx';
import { Labels } from './labels.tsx';
import { words } from './messages.ts';
import { NewProject } from './new-project.tsx';
import { PARTS } from './parts.ts';
import { Templates } from './templates.tsx';

const VIEWS: Readonly<Record<(typeof PARTS)[number]['id'], ComponentType<{ readonly project: ProjectRecord }>>> = {
  general: General,
  boards: Boards,
  labels: Labels,
  budgets: Budgets,
  templates: Templates,
};

function Missing({ all }: { readonly all: readonly ProjectRecord[] }) {
  return all[0] ? <Gone what="project" others={all} /> : <Empty>{common.noProject}</Empty>;
}

/** The project that the address names: everything that can be set there, one part at a time. */
export function Project() {
  const [isMaking, setMaking] = useState(false);
  const projects = useProjects();
  // A key for some projects cannot make another.
  const mayCreate = may('projects:write') && identity.value?.projects === null;
  const offered = PARTS.filter(({ isOffered }) => isOffered());
  const shown = offered.find(({ id }) => id === filter('part')) ?? offered[0];
  const Part = shown && VIEWS[shown.id];
  return (
    <Loaded query={projects}>
      {(all) => {
        const project = chosenProject(all);
        return (
          <SettingsSection
            title={project?.name ?? common.project}
            help={words.help}
            action={mayCreate && <Button text={words.newProject} onClick={() => setMaking(true)} />}
          >
            {project && Part ? (
              <>
                <nav aria-label={words.parts}>
                  <ul class="plain row">
                    {offered.map(({ id, name }) => (
                      <li key={id}>
                        <a
                          class="button button-quiet settings-part"
                          href={to('settings/project', { part: id })}
                          aria-current={id === shown.id ? 'true' : undefined}
                        >
                          {name()}
                        </a>
                      </li>
                    ))}
                  </ul>
                </nav>
                <Part key={`${shown.id} ${project.id}`} project={project} />
              </>
            ) : (
              <Missing all={all} />
            )}
            {isMaking && <NewProject onClose={() => setMaking(false)} />}
          </SettingsSection>
        );
      }}
    </Loaded>
  );
}
