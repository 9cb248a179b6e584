import type { Column } from '@worktrack/contracts/projects/board';
import type { Priority } from '@worktrack/contracts/work-items/plain-fields';
import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import type { IconNode } from 'lucide';
import { Icon, named } from '../icon.tsx';
import { epicIcon, featureIcon, ideaIcon, storyIcon, taskIcon } from '../icons.ts';
import { itemWords } from './item-words.ts';

// Type, priority and state of an item as drawings. Each has a name, unless the text beside it is that name: then `isNamed` is false.

interface Drawn {
  readonly isNamed?: boolean;
}

const TYPE_ICONS: Readonly<Record<ItemType, IconNode>> = {
  epic: epicIcon,
  feature: featureIcon,
  story: storyIcon,
  task: taskIcon,
  idea: ideaIcon,
};

export function TypeIcon({ type, isNamed = true }: Drawn & { readonly type: ItemType }) {
  return (
    <span class="item-icon" title={itemWords[type]}>
      <Icon of={TYPE_ICONS[type]} {...(isNamed && { name: itemWords[type] })} />
    </span>
  );
}

const BARS: Readonly<Record<Priority, number>> = { low: 1, medium: 2, high: 3, urgent: 4 };

/** Bars that rise with the priority; the highest is an exclamation mark in a field. */
export function PriorityIcon({ priority, isNamed = true }: Drawn & { readonly priority: Priority }) {
  const name = itemWords.priorityOf({ priority: itemWords[priority] });
  const bars = BARS[priority];
  return (
    <span class={`item-icon priority-${priority}`} title={name}>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the attributes say it */}
      <svg class="drawn" viewBox="0 0 16 16" {...named(isNamed ? name : undefined)}>
        {priority === 'urgent' ? (
          <>
            <rect x="1.5" y="1.5" width="13" height="13" rx="3" />
            <path class="drawn-on" d="M8 4.5v4M8 11v.5" />
          </>
        ) : (
          [0, 1, 2].map((at) => (
            <rect
              key={at}
              x={2 + at * 4.5}
              y={9.5 - at * 3.5}
              width="3"
              height={4.5 + at * 3.5}
              rx="1"
              fill-opacity={at < bars ? 1 : 0.3}
            />
          ))
        )}
      </svg>
    </span>
  );
}

type Role = Column['role'];

/** How far the work has come, by what its column is for: as a share of a circle. */
const SHARES: Readonly<Partial<Record<NonNullable<Role>, number>>> = {
  in_progress: 0.3,
  review: 0.5,
  testing: 0.65,
  validating: 0.82,
};
/** Of the disc within the ring. */
const DISC_RADIUS = 1.75;
const TURN = 2 * Math.PI * DISC_RADIUS;

/** The state of an item: the name is that of its column. */
export function StateIcon({ role, name }: { readonly role: Role; readonly name?: string }) {
  const share = SHARES[role ?? 'backlog'];
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the attributes say it
    <svg class={`drawn state-icon state-${role ?? 'own'}`} viewBox="0 0 16 16" {...named(name)}>
      <circle class="drawn-ring" cx="8" cy="8" r="6" />
      {share !== undefined && (
        <circle
          class="drawn-share"
          cx="8"
          cy="8"
          r={DISC_RADIUS}
          stroke-dasharray={`${share * TURN} ${TURN}`}
          transform="rotate(-90 8 8)"
        />
      )}
      {role === 'done' && <path class="drawn-on" d="M5.2 8.2 7.2 10.2 11 6.2" />}
      {role === null && <circle class="drawn-dot" cx="8" cy="8" r="2" />}
    </svg>
  );
}
