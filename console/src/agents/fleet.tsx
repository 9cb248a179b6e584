import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { number } from '../language/format.ts';
import { may } from '../session.ts';
import type { HeldItem } from './leases.ts';
import { words } from './messages.ts';
import { Select, type Selection } from './selection.tsx';

interface FleetProps {
  readonly fleet: string;
  readonly items: readonly HeldItem[];
  /** What state they are all in, in words. */
  readonly state: string;
  /** Names by id. */
  readonly projects: ReadonlyMap<string, string>;
  readonly selection: Selection;
  readonly children: (item: HeldItem) => JSX.Element;
}

/** Those that somebody has opened: one that has too few agents for a moment, as when one is taken over, is open when it is a fleet again. */
const opened = new Set<string>();

/** Many agents of one kind in one line, each of them on request. */
export function Fleet({ fleet, items, state, projects, selection, children }: FleetProps) {
  const key = `${state} ${fleet}`;
  const [isOpen, setOpen] = useState(opened.has(key));
  const toggle = (isNowOpen: boolean) => {
    if (isNowOpen) opened.add(key);
    else opened.delete(key);
    setOpen(isNowOpen);
  };
  const name = words.fleet({ n: number(items.length), fleet });
  const names = new Set(items.flatMap(({ projectId }) => projects.get(projectId) ?? []));
  return (
    <li class="panel agents-fleet">
      {may('work-items:write') && <Select what={name} items={items} selection={selection} />}
      <details open={isOpen} onToggle={({ currentTarget }) => toggle(currentTarget.open)}>
        <summary>
          <h3>
            {name}: {state}
          </h3>{' '}
          <span class="quiet">{[...names].join(', ')}</span>
        </summary>
        {isOpen && <ul class="plain agents">{items.map(children)}</ul>}
      </details>
    </li>
  );
}
