import './agents.css';
import { useEffect, useMemo } from 'preact/hooks';
import { queries, useQuery } from '../api/query.ts';
import { now, timed } from '../clock.ts';
import { number } from '../language/format.ts';
import { useBeats, useEvents } from '../live/live.ts';
import { Heading } from '../parts/page/heading.tsx';
import { Empty, Loaded } from '../parts/page/states.tsx';
import { useKeyNames } from '../parts/people/key-names.ts';
import { useProjects } from '../parts/project.ts';
import { may } from '../session.ts';
import { Fleet } from './fleet.tsx';
import { byFleet, type Group, isFleet } from './fleets.ts';
import { HeldBy } from './held-by.tsx';
import {
  byNeed,
  HELD,
  type HeldItem,
  hear,
  hearBeat,
  heldItems,
  isUntold,
  MAX_SHOWN,
  requests,
  type Urgency,
  urgencyOf,
} from './leases.ts';
import { words } from './messages.ts';
import { Select, Selected, useSelection } from './selection.tsx';

/** Every agent at work, by how it needs somebody: on what, since when, how far along, and what it is waiting for. */
export function Screen() {
  const held = useQuery({ key: HELD, load: heldItems, follows: isUntold, requests: requests() });
  const nameOf = useKeyNames();
  const projects = new Map(useProjects().data?.map(({ id, name }) => [id, name]));
  const selection = useSelection();
  // Nobody hears for it then.
  useEffect(() => () => void queries.invalidateQueries({ queryKey: HELD, refetchType: 'none' }), []);
  useEvents(hear);
  useBeats(hearBeat);
  const items = held.data ?? [];
  const urgencies = useMemo(
    () => timed((nowMs) => items.map(({ lease }) => urgencyOf(lease, nowMs)).join()),
    [held.data],
  );
  const groups = useMemo(() => byNeed(items, now.peek()), [held.data, urgencies.value]);
  const one = (urgency: Urgency) => (item: HeldItem) => (
    <HeldBy
      key={item.id}
      item={item}
      urgency={urgency}
      keyName={nameOf(item.lease.keyId)}
      projectName={projects.get(item.projectId)}
      selection={selection}
    />
  );
  const fleet = (group: Group<HeldItem> & { readonly fleet: string }, urgency: Urgency) => (
    <Fleet key={` ${group.fleet}`} {...group} state={words[urgency]} projects={projects} selection={selection}>
      {one(urgency)}
    </Fleet>
  );
  const section = (urgency: Urgency, items: readonly HeldItem[]) => (
    <section key={urgency} class="stack agents-section" aria-label={words[urgency]}>
      <div class="row">
        {may('work-items:write') && <Select what={words[urgency]} items={items} selection={selection} />}
        <h2>
          {words[urgency]} <span class="quiet">{number(items.length)}</span>
        </h2>
      </div>
      <ul class="plain agents">
        {/* Each question is there to be read. */}
        {urgency === 'awaiting_input'
          ? items.map(one(urgency))
          : byFleet(items).map((group) => (isFleet(group) ? fleet(group, urgency) : one(urgency)(group.items[0])))}
      </ul>
    </section>
  );
  return (
    <div class="screen">
      <Heading title={words.title} />
      <Loaded query={held}>
        {() =>
          items.length === 0 ? (
            <Empty>
              <p>{words.none}</p>
              <p>{words.noneHelp}</p>
            </Empty>
          ) : (
            <>
              <p role="status" class="quiet">
                {words.count({ n: items.length })} {items.length > MAX_SHOWN && words.more({ n: MAX_SHOWN })}
              </p>
              {groups.map(([urgency, ones]) => section(urgency, ones))}
              <Selected items={items} selection={selection} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}
