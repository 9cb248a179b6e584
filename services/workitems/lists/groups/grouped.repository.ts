import { MAX_COUNTED } from '@worktrack/contracts/fields';
import type { Grouping } from '@worktrack/contracts/work-items/lists/cards';
import type { PipelineStage } from 'mongoose';
import type { Scope } from '../../calls/scope.ts';
import { ancestorIdsOf } from '../../items/found-by.ts';
import { ItemModel } from '../../items/items.model.ts';
import { shownLease } from '../../items/lease.ts';
import type { ListedItem } from '../../items/shown/views.ts';
import { SearchModel } from '../../search/search.model.ts';
import type { Candidate } from '../conditions.ts';
import { type Matching, matchStages } from '../matches.repository.ts';
import { conditionsOf, type Where } from '../where.ts';

/** How many items have a value, or exactly these labels. */
export interface Counted {
  readonly value: string | null | readonly string[];
  readonly count: number;
}

interface By {
  /** For the database. */
  readonly computed: (now: Date) => unknown;
  /** What the database makes of it. */
  readonly read?: (computed: string) => string;
  /** The same of an item. */
  readonly of: (item: ListedItem & Candidate) => Counted['value'];
}

const field = (name: 'boardColumnId' | 'assignee' | 'priority' | 'type'): By => ({
  computed: () => `$${name}`,
  of: (item) => item[name],
});

const BY: Readonly<Record<Grouping, By>> = {
  column: field('boardColumnId'),
  assignee: field('assignee'),
  priority: field('priority'),
  type: field('type'),
  label: { computed: () => ({ $ifNull: ['$labels', []] }), of: ({ labels }) => labels ?? [] },
  // The topmost is named last (found-by.ts): an item that has nothing above it is its own.
  epic: {
    computed: () => ({ $arrayElemAt: ['$foundBy', -2] }),
    read: (phrase) => phrase.slice(phrase.lastIndexOf(' ') + 1),
    of: (item) => ancestorIdsOf(item).at(-1) ?? item._id,
  },
  agentState: {
    computed: (now) => ({
      $cond: [
        { $gt: ['$lease.expiresAt', now] },
        {
          $cond: [
            { $and: [{ $gt: ['$lease.stallsAt', null] }, { $lte: ['$lease.stallsAt', now] }] },
            'stalled',
            '$lease.state',
          ],
        },
        null,
      ],
    }),
    of: ({ lease }) => {
      const shown = shownLease(lease);
      return shown && (shown.stalled ? 'stalled' : shown.state);
    },
  },
};

export const valueIn = (by: Grouping, item: ListedItem & Candidate): Counted['value'] => BY[by].of(item);

/** At most MAX_COUNTED and one more are counted. @param which undefined: all that are there */
export async function countGrouped(
  scope: Scope,
  by: Grouping,
  where: Where,
  which: Matching | undefined,
): Promise<Counted[]> {
  const { computed, read } = BY[by];
  const stages: PipelineStage[] = [
    { $limit: MAX_COUNTED + 1 },
    { $group: { _id: computed(new Date()), count: { $sum: 1 } } },
  ];
  const { organizationId } = scope.caller;
  const counted = which
    ? await SearchModel.aggregate<Row>([...(await matchStages(scope, which)), ...stages])
    : await ItemModel.aggregate<Row>([{ $match: { organizationId, ...conditionsOf(where) } }, ...stages]);
  return counted.map(({ _id, count }) => ({ value: typeof _id === 'string' && read ? read(_id) : _id, count }));
}

interface Row {
  readonly _id: Counted['value'];
  readonly count: number;
}
