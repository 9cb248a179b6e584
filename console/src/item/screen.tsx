import './item.css';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { ServiceError } from '../api/service-error.ts';
import { usePlace } from '../create/open.ts';
import { Heading } from '../parts/heading.tsx';
import { useItem } from '../parts/item.ts';
import { itemWords } from '../parts/item-words.ts';
import { Markdown } from '../parts/markdown.tsx';
import { Loaded } from '../parts/states.tsx';
import { to } from '../router.ts';
import type { ScreenProps } from '../screen-props.ts';
import { may } from '../session.ts';
import { Attachments } from './attachments.tsx';
import { Costs } from './costs.tsx';
import { Editable } from './editable.tsx';
import { Fields } from './fields.tsx';
import { History } from './history.tsx';
import { words } from './messages.ts';
import { Prompt } from './prompt.tsx';
import { Relations } from './relations.tsx';
import { Results } from './results.tsx';
import { Trace } from './trace.tsx';
import { Verdict } from './verdict.tsx';

/** Types that have tasks below them. */
const PLANNED: readonly WorkItem['type'][] = ['epic', 'feature', 'story'];

export function Screen({ params: { id = '' } }: ScreenProps) {
  const item = useItem(id);
  const isGone = item.error instanceof ServiceError && ['NOT_FOUND', 'VALIDATION_FAILED'].includes(item.error.code);
  if (isGone) {
    return (
      <div class="screen">
        <Heading title={words.gone({ id })} />
      </div>
    );
  }
  return <Loaded query={item}>{(found) => <Item key={found.id} item={found} />}</Loaded>;
}

function Item({ item }: { readonly item: WorkItem }) {
  usePlace({
    projectId: item.projectId,
    boardId: item.boardId,
    ...(PLANNED.includes(item.type) && { parent: item.taskId }),
  });
  return (
    <article class="screen item">
      <header>
        <p class="row quiet">
          {item.taskId} · {itemWords[item.type]}
          {PLANNED.includes(item.type) && <a href={to(`plan/${item.taskId}`)}>{words.plan}</a>}
          <a href={to('board', { project: item.projectId, board: item.boardId, q: item.taskId })}>{words.onBoard}</a>
        </p>
        <Editable item={item} field="title" label={words.title} editLabel={words.editTitle}>
          <Heading title={item.title} />
        </Editable>
      </header>
      <Verdict item={item} />
      <div class="item-main">
        <section class="panel stack" aria-label={words.description}>
          <h2 class="unseen">{words.description}</h2>
          <Editable item={item} field="description" label={words.description} editLabel={words.editDescription}>
            {item.description ? <Markdown text={item.description} /> : <p class="quiet">{words.noDescription}</p>}
          </Editable>
        </section>
        <Results item={item} />
        <History item={item} />
      </div>
      <div class="item-side">
        <Fields item={item} />
        <Relations item={item} />
        <Attachments item={item} />
        <Costs item={item} />
        <Prompt item={item} />
        {may('feedback:read') && <Trace item={item} />}
      </div>
    </article>
  );
}
