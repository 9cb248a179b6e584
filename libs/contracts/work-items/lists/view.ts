import { z } from 'zod';
import { Id, ofFewFields, oneLine, RecordId, Timestamp } from '../../fields.ts';
import { listProjectCards } from './cards.ts';
import { listWorkItems } from './list.ts';
import { refuseReversedDays } from './list-filters.ts';

/** Of a project: so many that all can see, and so many more of each user. */
export const MAX_VIEWS = 100;
const MAX_NAME_LENGTH = 100;
const MAX_VALUES = 50;
/** More than there are. */
const MAX_FILTERS = 100;
const MAX_VALUE_LENGTH = 500;

const Value = z.string().max(MAX_VALUE_LENGTH);

/** As clients are told of them. Which ones are taken, NewViewFilters says. */
const ViewFilters = z.record(z.string(), z.union([Value, z.number(), z.boolean(), z.array(Value).max(MAX_VALUES)]));

const { page: _, limit: __, cursor: ___, projectId: ____, overdue, ...filters } = listWorkItems.input.shape;
const LAYOUTS = ['board', 'list'] as const;

/** What a list takes but for its pages, and how the console shows it (docs/console.md). */
const Shown = z
  .strictObject({
    ...filters,
    // An address has texts alone.
    overdue: z.preprocess((given) => (given === 'true' ? true : given === 'false' ? false : given), overdue),
    groupBy: listProjectCards.input.shape.groupBy,
    layout: z.enum(LAYOUTS).optional(),
    board: Id.optional(),
    columns: Value.optional(),
  })
  .superRefine(refuseReversedDays);

/** Kept as it is given, since the same list has several spellings and its owner knows this one. */
export const NewViewFilters = ofFewFields(
  MAX_FILTERS,
  ViewFilters.check(({ value, issues }) => {
    issues.push(...(Shown._zod.run({ value, issues: [] }, { async: false }) as z.core.ParsePayload).issues);
  }),
).describe(
  'The filters of GET /api/work-items, without paging; also groupBy, layout, board and columns, for the console',
);

export const View = z.object({
  id: RecordId,
  name: z.string(),
  projectId: RecordId,
  /** Whether all who see the project see it too, or only its owner. */
  shared: z.boolean(),
  filters: ViewFilters,
  /** Its owner: a user. */
  createdBy: RecordId,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type View = z.infer<typeof View>;

/** What a caller may set. */
export const viewFields = { name: oneLine(MAX_NAME_LENGTH) };
