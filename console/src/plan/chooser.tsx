import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import { call } from '../api/call.ts';
import { usePages } from '../api/query.ts';
import { mayCreate, openCreate } from '../create/open.ts';
import { Button } from '../parts/button.tsx';
import { SearchField } from '../parts/form/search-field.tsx';
import { words as common } from '../parts/messages.ts';
import { Heading } from '../parts/page/heading.tsx';
import { More } from '../parts/page/more.tsx';
import { Loaded } from '../parts/page/states.tsx';
import { chosenProject, useProjects } from '../parts/project.ts';
import { filter, to } from '../router.ts';
import { NoProject } from '../start/no-project.tsx';
import { words } from './messages.ts';

const PAGE_SIZE = 50;
const PLANNED = ['epic', 'feature'] as const;

/** Everything in a project that has a plan worth looking at. */
export function Chooser() {
  const projects = useProjects();
  return (
    <div class="screen">
      <div class="row plan-bar">
        <Heading title={words.title} />
        <search class="row" aria-label={words.choices}>
          <SearchField label={words.search} />
        </search>
      </div>
      <Loaded query={projects}>
        {(all) => {
          const project = chosenProject(all);
          if (!project) return <NoProject all={all} />;
          return (
            <div class="plan-lists">
              {PLANNED.map((type) => (
                <Items key={type} type={type} projectId={project.id} />
              ))}
            </div>
          );
        }}
      </Loaded>
    </div>
  );
}

interface ItemsProps {
  readonly type: (typeof PLANNED)[number];
  readonly projectId: string;
}

function Items({ type, projectId }: ItemsProps) {
  const search = filter('q');
  const pages = usePages({
    key: ['planned', type, projectId, search],
    load: (cursor, signal) =>
      call<typeof listWorkItems>(
        'GET /api/work-items',
        { type, projectId, search, cursor, limit: PAGE_SIZE },
        { signal },
      ),
    follows: ({ subject, projectId: ofProject }) => subject.kind === 'work_item' && ofProject === projectId,
    keepsEarlier: true,
  });
  return (
    <section class="panel stack" aria-label={words[type]}>
      <h2>{words[type]}</h2>
      <Loaded query={pages}>
        {(data) => {
          const items = data.pages.flatMap(({ workItems }) => workItems);
          if (items.length === 0)
            return (
              <>
                <p class="quiet">{search ? words.noMatches : type === 'epic' ? words.noEpics : words.noFeatures}</p>
                {!search && mayCreate() && (
                  <Button text={common.newItem} onClick={() => openCreate({ projectId, type })} />
                )}
              </>
            );
          return (
            <ul class="plain plan-list">
              {items.map(({ id, taskId, title, columnName }) => (
                <li key={id}>
                  <a href={to(`plan/${taskId}`)}>
                    <span class="quiet">{taskId}</span> <bdi>{title}</bdi>
                  </a>
                  <span class="tag">{columnName}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      <More of={pages} />
    </section>
  );
}
