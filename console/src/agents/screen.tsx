import './agents.css';
import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import { queries, useQuery } from '../api/query.ts';
import { now } from '../clock.ts';
import { number } from '../language/format.ts';
import { useBeats } from '../live/live.ts';
import { isNews } from '../parts/item/lease.ts';
import { Heading } from '../parts/page/heading.tsx';
import { Empty, Loaded } from '../parts/page/states.tsx';
import { useKeyNames } from '../parts/people/key-names.ts';
import { useProjects } from '../parts/project.ts';
import { may } from '../session.ts';
import { Fleet } from './fleet.tsx';
import { byFleet, type Group, isFleet } from './fleets.ts';
import { HeldBy } from './held-by.tsx';
import { byNeed, changesLeases, type HeldItem, heldItems, MAX_SHOWN, type Urgency } from './leases.ts';
import { words } from './messages.ts';
import { Select, Selected, useSelection } from './selection.tsx';

/** Every agent at work, by how it needs somebody: on what, since when, how far along, and what it is waiting for. */
export function Screen() {
  const key = ['agents'];
  const held = useQuery({ key, load: heldItems, follows: changesLeases });
  const nameOf = useKeyNames();
  const projects = new Map(useProjects().data?.map(({ id, name }) => [id, name]));
  const selection = useSelection();
  useBeats((beat) => {
    queries.setQueryData<readonly HeldItem[]>(key, (items) => items && heard(items, beat));
  });
  const one = (item: HeldItem) => (
    <HeldBy
      key={item.id}
      item={item}
      keyName={nameOf(item.lease.keyId)}
      projectName={projects.get(item.projectId)}
      selection={selection}
    />
  );
  const fleet = (group: Group<HeldItem> & { readonly fleet: string }, state: string) => (
    <Fleet key={` ${group.fleet}`} {...group} state={state} projects={projects} selection={selection}>
      {one}
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
          ? items.map(one)
          : byFleet(items).map((group) => (isFleet(group) ? fleet(group, words[urgency]) : one(group.items[0])))}
      </ul>
    </section>
  );
  return (
    <div class="screen">
      <Heading title={words.title} />
      <Loaded query={held}>
        {(items) =>
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
              {byNeed(items, now.value).map(([urgency, ones]) => section(urgency, ones))}
              <Selected items={items} selection={selection} nowMs={now.value} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

/** The list with what heartbeats report, which is in no event of the log. */
function heard(items: readonly HeldItem[], { workItemId, lease }: Beat): readonly HeldItem[] {
  const at = items.findIndex(({ id }) => id === workItemId);
  const item = items[at];
  return item && isNews(lease, item.lease) ? items.with(at, { ...item, lease }) : items;
}
