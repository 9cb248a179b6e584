import type { Board, Column } from '@worktrack/contracts/projects/board';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { attempt } from '../../parts/busy.ts';
import { IconButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { dragIcon, moreIcon } from '../../parts/icons.ts';
import { StateIcon } from '../../parts/item/item-icons.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Menu } from '../../parts/popup/menu.tsx';
import { may } from '../../session.ts';
import { words as common } from '../messages.ts';
import { ColumnForm } from './column-form.tsx';
import { helpOf, ofColumn } from './column-roles.ts';
import { changeColumns, given, placed } from './columns.ts';
import { words } from './messages.ts';

/** By dragging, with the arrow keys on the handle, or with the menu: each puts a column elsewhere. */
export function ColumnList({ board }: { readonly board: Board }) {
  const list = useRef<HTMLUListElement>(null);
  const [edited, setEdited] = useState<Column>();
  /** Is being deleted, which may be refused. */
  const [leaving, setLeaving] = useState<string>();
  /** The one whose handle moved it: the browser takes its focus away when its row is put elsewhere. */
  const moved = useRef<string>(undefined);
  const { columns } = board;
  const mayWrite = may('projects:write');

  /** @param to where it is put, counted without it: from where it is when it is done, for several keys may be on their way */
  const place = (id: string, to: (from: number) => number) =>
    void attempt(parts.notChanged, () =>
      changeColumns(
        board,
        (now) => {
          const from = now.findIndex((column) => column.id === id);
          return placed(now, id, Math.max(0, to(from)));
        },
        (after) => {
          const at = after.findIndex((column) => column.id === id);
          return words.placed({ name: after[at]?.name ?? '', at: at + 1, n: after.length });
        },
      ),
    );
  const remove = async ({ id, name }: Column) => {
    setLeaving(id);
    await attempt(parts.notChanged, () =>
      changeColumns(
        board,
        (now) => now.filter((each) => each.id !== id).map(given),
        () => common.deleted({ name }),
      ),
    );
    setLeaving(undefined);
  };

  const calls = useRef({ place, columns });
  calls.current = { place, columns };
  useEffect(() => {
    const element = list.current;
    if (!element || !mayWrite) return;
    let stop: (() => void)[] = [];
    let isOver = false;
    // Without it, keys and menu do the same.
    import('../../board/dragging.ts').then(
      ({ card, column }) => {
        if (isOver) return;
        const rows = [...element.children] as HTMLElement[];
        const onDrop = (id: string, over?: { readonly cardId: string; readonly edge: 'before' | 'after' }) => {
          const others = calls.current.columns.filter((each) => each.id !== id);
          const at = others.findIndex((each) => each.id === over?.cardId);
          if (over && at >= 0) calls.current.place(id, () => at + (over.edge === 'after' ? 1 : 0));
        };
        stop = [
          column(element, { onOver: () => {}, onDrop }),
          ...rows.map((row) =>
            card(row, row.dataset.column ?? '', {
              onStart: () => {},
              onEdge: (edge) => {
                if (edge) row.dataset.edge = edge;
                else delete row.dataset.edge;
              },
            }),
          ),
        ];
      },
      () => {},
    );
    return () => {
      isOver = true;
      for (const each of stop) each();
    };
  }, [columns.map(({ id }) => id).join(), mayWrite]);
  useLayoutEffect(() => {
    const row = list.current?.querySelector<HTMLElement>(`[data-column="${moved.current}"] .project-handle`);
    if (document.activeElement === document.body) row?.focus();
    moved.current = undefined;
  }, [columns]);

  return (
    <>
      <ul ref={list} class="plain settings-list">
        {columns.map((column, at) => {
          const { id, name, role, limit } = column;
          return (
            <li key={id} data-column={id} aria-busy={id === leaving} class="settings-row project-column">
              <div>
                <div class="row">
                  {mayWrite && (
                    <IconButton
                      of={dragIcon}
                      name={words.order({ name })}
                      class="project-handle"
                      onKeyDown={(event) => {
                        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
                        if (by === undefined) return;
                        event.preventDefault();
                        moved.current = id;
                        place(id, (from) => from + by);
                      }}
                    />
                  )}
                  <StateIcon role={role} />
                  <h3>{name}</h3>
                  {limit !== null && <span class="tag">{words.atMost({ n: limit })}</span>}
                </div>
                <p class="quiet">
                  {words[ofColumn(column)]} · {helpOf(ofColumn(column))}
                </p>
              </div>
              {mayWrite && (
                <Menu
                  label={words.more({ name })}
                  items={[
                    { label: parts.edit, run: () => setEdited(column) },
                    { label: words.up, disabled: at === 0, run: () => place(id, (from) => from - 1) },
                    {
                      label: words.down,
                      disabled: at === columns.length - 1,
                      run: () => place(id, (from) => from + 1),
                    },
                    {
                      group: '',
                      label: parts.delete,
                      isBad: true,
                      disabled: leaving !== undefined,
                      run: () => void remove(column),
                    },
                  ]}
                >
                  <Icon of={moreIcon} />
                </Menu>
              )}
            </li>
          );
        })}
      </ul>
      {edited && <ColumnForm board={board} column={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}
