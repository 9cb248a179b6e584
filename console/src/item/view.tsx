import './item.css';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { deleteItems, duplicate } from '../change/copy.ts';
import { words as change } from '../change/messages.ts';
import { Overtaken, saveItem } from '../change/save.ts';
import { mayCreate, usePlace } from '../create/open.ts';
import { Icon } from '../parts/icon.tsx';
import { copyIcon, createIcon, deleteIcon, linkIcon, moreIcon } from '../parts/icons.ts';
import { useItem } from '../parts/item/item.ts';
import { TypeIcon } from '../parts/item/item-icons.tsx';
import { itemWords } from '../parts/item/item-words.ts';
import { words as common } from '../parts/messages.ts';
import { Menu } from '../parts/popup/menu.tsx';
import { tell, tellFailure } from '../parts/popup/toasts.tsx';
import { Markdown } from '../parts/text/markdown.tsx';
import { filter, go, path, setFilters, to } from '../router.ts';
import { may } from '../session.ts';
import { Attachments } from './attachments/attachments.tsx';
import { Costs } from './costs.tsx';
import { Editable } from './editable.tsx';
import { Fields } from './fields.tsx';
import { History } from './history/history.tsx';
import { Works } from './history/works.tsx';
import { words } from './messages.ts';
import { Others } from './others.tsx';
import { Prompt } from './prompt.tsx';
import { Children, Relations } from './relations.tsx';
import { Asked, Results } from './results.tsx';
import { Trace } from './trace.tsx';
import { Verdict } from './verdict.tsx';
import { useWatch } from './watch.ts';

/** Types that have tasks below them. */
const PLANNED: readonly WorkItem['type'][] = ['epic', 'feature', 'story'];

/** Beyond this, a title is shown as a text: the longest one has 500 characters. */
const LONG_TITLE = 150;

interface ItemViewProps {
  readonly item: WorkItem;
  /** The title. */
  readonly heading: JSX.Element;
  /** Of the panel: at the end of the bar above it. */
  readonly buttons?: ComponentChildren;
}

/** Everything about an item, on a page of its own or in the panel beside another screen. */
export function ItemView({ item, heading, buttons }: ItemViewProps) {
  const isPlanned = PLANNED.includes(item.type);
  const sees = may('projects:read');
  const watch = useWatch(item);
  const parts = useRef<HTMLDivElement>(null);
  // One below the other, they come in the order in which they are seen, for keys and screen readers. Where its fields are, item.css says, by how wide the item is.
  const [fieldsAre, place] = useState(buttons ? 'above' : 'beside');
  const isStacked = fieldsAre !== 'beside';
  useLayoutEffect(() => {
    const { current } = parts;
    if (!current) return;
    const look = new ResizeObserver(() => {
      // What is being written would be drawn anew, and taken for finished.
      if (current.querySelector(':is(input, textarea):focus')) return;
      place(getComputedStyle(current).getPropertyValue('--fields-are'));
    });
    look.observe(current);
    return () => look.disconnect();
  }, []);
  const fields = <Fields item={item} />;
  const history = <History item={item} />;
  usePlace({ projectId: item.projectId, boardId: item.boardId, ...(isPlanned && { parent: item.taskId }) });
  return (
    <article class="item">
      <header class="item-bar">
        <Trail item={item} />
        <nav class="row item-links" aria-label={item.taskId}>
          {isPlanned && sees && <a href={to(`plan/${item.taskId}`)}>{words.plan}</a>}
          {sees && (
            <a href={to('board', { project: item.projectId, board: item.boardId, q: item.taskId })}>{words.onBoard}</a>
          )}
        </nav>
        <Others item={item} />
        <Menu
          label={words.actions({ taskId: item.taskId })}
          items={[
            ...watch,
            {
              label: words.copyLink,
              icon: linkIcon,
              run: () => void copy(new URL(to(`items/${item.taskId}`), location.href).href),
            },
            { label: words.copyId, icon: copyIcon, run: () => void copy(item.taskId) },
            ...(mayCreate()
              ? [{ group: '', label: words.duplicate, icon: createIcon, run: () => void duplicate(item.taskId) }]
              : []),
            ...(may('work-items:write')
              ? [{ group: '', label: common.delete, icon: deleteIcon, isBad: true, run: () => void remove(item) }]
              : []),
          ]}
        >
          <Icon of={moreIcon} />
        </Menu>
        {buttons}
      </header>
      <div ref={parts} class="item-parts">
        <div class="item-main">
          <div class={item.title.length > LONG_TITLE ? 'item-title item-title-long' : 'item-title'}>
            <Editable item={item} field="title" label={words.title} editLabel={words.editTitle}>
              {heading}
            </Editable>
          </div>
          <Verdict item={item} />
          {fieldsAre === 'above' && fields}
          <Asked item={item} />
          <section class="item-part stack" aria-label={words.description}>
            {/* Seen where what to check ends. */}
            <h2 class={item.metadata.userActions ? undefined : 'unseen'}>{words.description}</h2>
            <Editable item={item} field="description" label={words.description} editLabel={words.editDescription}>
              {item.description ? (
                <Markdown text={item.description} onChange={may('work-items:write') ? tick(item) : undefined} />
              ) : (
                <p class="quiet">{words.noDescription}</p>
              )}
            </Editable>
          </section>
          {fieldsAre === 'below' && fields}
          <Children item={item} />
          <Results item={item} />
          <Works item={item} />
          {!isStacked && history}
        </div>
        <div class="item-side">
          {!isStacked && fields}
          <Relations item={item} />
          <Attachments item={item} />
          <Costs item={item} />
          <Prompt item={item} />
          {may('feedback:read') && <Trace item={item} />}
        </div>
        {isStacked && history}
      </div>
    </article>
  );
}

/** What is above it, and what it is. */
function Trail({ item }: { readonly item: WorkItem }) {
  const parent = useItem(item.parentId).data;
  return (
    <p class="item-trail">
      {parent && (
        <>
          <TypeIcon type={parent.type} />
          <a href={to(`items/${parent.taskId}`)} aria-label={`${words.parent}: ${parent.taskId} ${parent.title}`}>
            {parent.title}
          </a>
          <span aria-hidden="true">›</span>
        </>
      )}
      <TypeIcon type={item.type} isNamed={false} />
      <span class="item-id">
        {item.taskId} · {itemWords[item.type]}
      </span>
    </p>
  );
}

/** Ticking a task changes one line of the description: what others do meanwhile to other lines is no conflict. */
function tick(item: WorkItem) {
  return (description: string): Promise<unknown> =>
    saveItem(item, { description }).catch((error) => {
      if (!(error instanceof Overtaken)) return tellFailure(words.notSaved, error);
      const { current } = error;
      const merged = withLine(item.description, description, current.description);
      if (merged !== undefined) return tick(current)(merged);
      tell(error.message, { label: change.understood, run: () => {} });
    });
}

/** The one line that differs after a change, in a text that others have changed. undefined: they have changed that line, too */
function withLine(before: string, after: string, now: string): string | undefined {
  const [old, wanted, lines] = [before.split('\n'), after.split('\n'), now.split('\n')];
  const at = old.findIndex((line, index) => line !== wanted[index]);
  const isTheirs = at < 0 || ![old[at], wanted[at]].includes(lines[at]);
  return isTheirs ? undefined : lines.with(at, wanted[at] ?? '').join('\n');
}

async function remove(item: WorkItem): Promise<void> {
  const [at, panel] = [path.peek(), filter('panel')];
  // Once it is done, one may be somewhere else.
  if (!(await deleteItems([item])) || path.peek() !== at || filter('panel') !== panel) return;
  if (panel) setFilters({ panel: undefined });
  else go(to('board', { project: item.projectId, board: item.boardId }));
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    return tell(`${common.notCopied} ${text}`, { label: change.understood, run: () => {} });
  }
  tell(words.copiedText({ text }));
}
