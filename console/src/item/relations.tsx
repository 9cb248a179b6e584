import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import type { resolveWorkItems } from '@worktrack/contracts/work-items/resolve';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { usePages, useQuery } from '../api/query.ts';
import { type Base, changeItem } from '../change/save.ts';
import { TagRemove } from '../parts/form/tag-remove.tsx';
import { useItem } from '../parts/item/item.ts';
import { ItemPicker } from '../parts/item/item-field.tsx';
import { More } from '../parts/page/more.tsx';
import { may } from '../session.ts';
import { ItemLink } from './item-link.tsx';
import { words } from './messages.ts';
import { Part } from './part.tsx';
import { mayHaveSubItems, NewSubItems } from './sub-items.tsx';

const PAGE_SIZE = 50;

/** What is above and before an item. */
export function Relations({ item }: { readonly item: WorkItem }) {
  return (
    <>
      <Parent item={item} />
      <Dependencies item={item} />
    </>
  );
}

function Parent({ item }: { readonly item: WorkItem }) {
  const parent = useItem(item.parentId).data;
  const mayWrite = may('work-items:write');
  if (!parent && !mayWrite) return null;
  // A card shows the parent's id, which is not known before the service has answered.
  const moveTo = (parentId: string | null) => changeItem(item, { parentId }, {});
  return (
    <Part title={words.parent}>
      {parent && (
        <div class="row">
          <ItemLink item={parent} />
          {mayWrite && <TagRemove what={parent.taskId} onClick={() => void moveTo(null)} />}
        </div>
      )}
      {mayWrite && (
        <ItemPicker
          label={words.parent}
          projectId={item.projectId}
          except={[item.taskId, parent?.taskId]}
          onChoose={moveTo}
        />
      )}
    </Part>
  );
}

function Dependencies({ item }: { readonly item: WorkItem }) {
  const ids = basesOf(item);
  const resolved = useQuery({
    key: ['dependencies', item.id, ids],
    load: (signal) =>
      call<typeof resolveWorkItems>('POST /api/work-items/resolve', { ids, includeLeafTasks: false }, { signal }),
    follows: ({ subject }) => ids.includes(subject.id) || ids.includes(subject.taskId ?? ''),
    enabled: ids.length > 0,
  });
  const mayWrite = may('work-items:write');
  if (ids.length === 0 && !mayWrite) return null;
  const save = (change: (all: string[]) => string[]) =>
    changeItem(item, (now) => ({ dependsOn: change(basesOf(now)) }));
  const found = resolved.data?.items ?? [];
  const remove = (...names: string[]) => void save((all) => all.filter((id) => !names.includes(id)));
  return (
    <Part title={words.dependsOn}>
      {ids.length > 0 && (
        <ul class="plain stack">
          {found.map((each) => (
            <li key={each.id} class="row">
              <ItemLink item={each} />
              {mayWrite && <TagRemove what={each.taskId} onClick={() => remove(each.id, each.taskId)} />}
            </li>
          ))}
          {resolved.data?.notFound.map((id) => (
            <li key={id} class="row">
              {id} <span class="tag tag-warn">{words.isMissing}</span>
              {mayWrite && <TagRemove what={id} onClick={() => remove(id)} />}
            </li>
          ))}
        </ul>
      )}
      {mayWrite && (
        <ItemPicker
          label={words.dependsOn}
          projectId={item.projectId}
          except={[item.taskId, ...found.map(({ taskId }) => taskId)]}
          onChoose={(taskId) => save((all) => [...new Set([...all, taskId])])}
        />
      )}
    </Part>
  );
}

function basesOf({ metadata }: Pick<Base, 'metadata'>): string[] {
  const written = metadata?.dependsOn;
  return Array.isArray(written) ? written.map(String) : [];
}

export function Children({ item }: { readonly item: WorkItem }) {
  const pages = usePages({
    key: ['children', item.id],
    load: (cursor, signal) =>
      call<typeof listWorkItems>(
        'GET /api/work-items',
        { parentId: item.id, limit: PAGE_SIZE, ...(cursor && { cursor }) },
        { signal },
      ),
    follows: ({ subject, projectId }) => subject.kind === 'work_item' && projectId === item.projectId,
  });
  const children = pages.data?.pages.flatMap(({ workItems }) => workItems) ?? [];
  const mayAdd = mayHaveSubItems(item) && may('work-items:write');
  if (children.length === 0 && !mayAdd) return null;
  return (
    <Part title={words.children}>
      <ul class="plain stack">
        {children.map((child) => (
          <li key={child.id}>
            <ItemLink item={child} />
          </li>
        ))}
      </ul>
      <More of={pages} />
      {mayAdd && <NewSubItems item={item} />}
    </Part>
  );
}
