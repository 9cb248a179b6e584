import { z } from 'zod';
import { oneLine, RecordId, Timestamp } from '../fields.ts';

/** Of a project: so many that all can see, and so many more of each user. */
export const MAX_VIEWS = 100;
const MAX_NAME_LENGTH = 100;
const MAX_FILTERS = 50;
const MAX_VALUES = 50;
const MAX_VALUE_LENGTH = 500;

/** What a view says besides the filters of a list: how that is shown. */
export const VIEW_LAYOUT = ['layout', 'board', 'columns', 'sort'];

const Value = z.string().max(MAX_VALUE_LENGTH);

/**
 * What a list is narrowed to, and how it is shown: the parameters of a list, and those of the console's address (docs/console.md). Whoever shows the view
 * knows what they mean; the service does not.
 */
export const ViewFilters = z
  .record(
    z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,49}$/, 'must be the name of a filter'),
    z.union([Value, z.number(), z.boolean(), z.array(Value).max(MAX_VALUES)]),
  )
  .refine((filters) => Object.keys(filters).length <= MAX_FILTERS, `must be at most ${MAX_FILTERS} filters`);

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
export const viewFields = { name: oneLine(z.string().trim().min(1).max(MAX_NAME_LENGTH)) };
