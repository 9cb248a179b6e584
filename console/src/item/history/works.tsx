import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useState } from 'preact/hooks';
import { now } from '../../clock.ts';
import { dateAndTime, dollars, duration, roughly } from '../../language/format.ts';
import { Button } from '../../parts/button.tsx';
import { itemWords } from '../../parts/item/item-words.ts';
import { words as common } from '../../parts/messages.ts';
import { Avatar } from '../../parts/people/avatar.tsx';
import { useKeyNames } from '../../parts/people/key-names.ts';
import { useNames } from '../../parts/people/people.ts';
import { words } from '../messages.ts';
import { Part } from '../part.tsx';
import { Entry, runOf } from './entry.tsx';
import { FIRST_SHOWN, MOST_SHOWN, usePast } from './past.ts';
import { idOf, type Work, worksOf } from './work.ts';

const WORKS_SHOWN = 10;

/** Who has worked on an item, session by session: what each one did, for how long, and what it used. */
export function Works({ item }: { readonly item: WorkItem }) {
  const [isLong, setLong] = useState(false);
  const { id, lease } = item;
  const latest = usePast(id, { limit: FIRST_SHOWN });
  const sessions = usePast(id, { limit: MOST_SHOWN, eventType: 'ai_session' });
  const recorded = sessions.data?.events ?? [];
  const first = latest.data;
  // Most items have a short history, or nobody has worked on them.
  const isLonger = first !== undefined && first.totalEvents > first.events.length;
  const isWorkedOn = recorded.length > 0 || first?.events.some((entry) => idOf(entry) !== undefined) === true;
  const longer = usePast(id, { limit: MOST_SHOWN, enabled: isLonger && isWorkedOn });
  const past = (isLonger ? longer.data : undefined) ?? first;
  const events = past?.events ?? [];
  const isWhole = past === undefined || events.length >= past.totalEvents;
  const works = worksOf({ events, isWhole, sessions: recorded, lease }, now.value);
  if (works.length === 0) return null;
  return (
    <Part title={words.work}>
      <ol class="plain stack works">
        {works.slice(0, isLong ? undefined : WORKS_SHOWN).map((work) => (
          <OneWork key={work.id} work={work} />
        ))}
      </ol>
      {works.length > WORKS_SHOWN && !isLong && <Button text={common.more} onClick={() => setLong(true)} />}
    </Part>
  );
}

function OneWork({ work }: { readonly work: Work }) {
  const [isOpen, setOpen] = useState(false);
  const { agent, run, models, userId, keyId, steps, isHeld } = work;
  const user = useNames()(userId);
  const key = useKeyNames()(keyId, '');
  const facts = [
    `${work.hasMoreSteps ? '≥ ' : ''}${words.steps({ n: steps.length })}`,
    work.heartbeats > 0 && words.heartbeats({ n: work.heartbeats }),
    work.durationMs > 0 && duration(work.durationMs),
    work.tokens > 0 && words.tokenCount({ count: roughly(work.tokens) }),
    work.cost !== undefined && `${work.isUnpriced ? '≥ ' : ''}${dollars(work.cost)}`,
    work.isUnpriced && work.cost === undefined && words.noPrice,
  ].filter(Boolean);
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Avatar name={agent ?? user} isAgent={agent !== undefined} /> <strong>{agent ?? user}</strong>{' '}
          <span>{[...models, run && runOf(run)].filter(Boolean).join(' · ')}</span>{' '}
          {isHeld && <span class="tag tag-good">{itemWords.working}</span>}
          {work.isAbandoned && <span class="tag tag-warn">{words.abandoned}</span>}
          <span class="works-facts">{facts.join(' · ')}</span>
          <span class="quiet works-facts">
            {[agent !== undefined && user, key, dateAndTime(work.at)].filter(Boolean).join(' · ')}
          </span>
        </summary>
        {isOpen && (
          <ol class="plain history">
            {steps.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ol>
        )}
      </details>
    </li>
  );
}
