import { z } from 'zod';
import { anyOf, described } from './described.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TASK_ID = /^[A-Z]{1,5}-[TSFEI]-[1-9][0-9]{0,9}$/i;
/** Both, without flags: a JSON Schema pattern has none. */
const ANY_CASE = [
  /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/,
  /^[A-Za-z]{1,5}-[TSFEItsfei]-[1-9][0-9]{0,9}$/,
];

/**
 * An id. A refinement rather than `z.uuid()`, which advertises a pattern of 269 bytes with every field: `tools/list` has no room for it.
 * Lower-cased, so that equal ids compare equal.
 */
export const Id = idThat('must be a UUID');

/** For errors that ask for a project's id. */
export const WHERE_PROJECT_IDS_ARE =
  'list_projects (GET /api/projects) shows the id and the defaultBoardId of each project';
const AN_ID_THAT_PROJECTS_SHOW = `must be a UUID; ${WHERE_PROJECT_IDS_ARE}`;
export const ProjectId = idThat(AN_ID_THAT_PROJECTS_SHOW);
/** Callers know boards by their projects. */
export const BoardId = idThat(AN_ID_THAT_PROJECTS_SHOW);

function idThat(message: string) {
  return z
    .string()
    .refine((value) => UUID.test(value), message)
    .meta({ format: 'uuid' })
    .transform((value) => value.toLowerCase());
}

/** A work item by its UUID or its task ID (`W-T-12`, in any case). */
export const ItemRef = z
  .string()
  .refine((value) => UUID.test(value) || TASK_ID.test(value), 'must be a UUID or a task ID such as W-T-12')
  .register(described, { pattern: anyOf(...ANY_CASE) })
  .transform((value) => (value.includes('-', 9) ? value.toLowerCase() : value.toUpperCase()));

export const MAX_COLUMN_NAME_LENGTH = 100;
/** A column by its UUID, or by its name on the board in question, in any case. */
export const ColumnRef = z
  .string()
  .trim()
  .min(1)
  .max(MAX_COLUMN_NAME_LENGTH)
  .register(described, { description: 'Name or UUID' })
  .transform((value) => (UUID.test(value) ? value.toLowerCase() : value));

export const isUuid = (value: string): boolean => UUID.test(value);

/** The fields in which operations accept an item by any of its names, alone or in a list. */
export const ITEM_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'ids',
  'workItemId',
  'workItemIds',
  'taskId',
  'parentId',
  'after',
  'dependsOn',
  'ideaId',
  'epic',
  'epicNot',
]);

/** Whether a text is a UUID or a task ID. */
export function isItemName(text: string): boolean {
  return UUID.test(text) || TASK_ID.test(text);
}

/** An object with names of the caller's own. They are counted before any is checked: a body has room for 90,000. */
export function ofFewFields<Schema extends z.ZodType>(max: number, schema: Schema) {
  return z.preprocess((given: z.input<Schema>, context): unknown => {
    if (typeof given !== 'object' || given === null || Object.keys(given).length <= max) return given;
    context.addIssue({ code: 'custom', message: `must have at most ${max} fields` });
    return z.NEVER;
  }, schema);
}

/** A class of characters, in a form that validators in all languages understand. */
const BREAKS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
const BREAK = new RegExp(`[${BREAKS}]`);

/**
 * A name or a title. It is shown in one line, also in terminals and logs, where control characters are commands. Texts of several lines may have them: agents
 * paste terminal output, and every printer of a text escapes it. Invisible characters are left out, like the spaces around a name.
 */
export function oneLine(maxLength: number, { mayBeEmpty = false } = {}): z.ZodString {
  const text = z
    .string()
    .overwrite((given) => (given.length > MOST_UNSEEN * maxLength ? given : seen(given)))
    .trim();
  const pattern = mayBeEmpty ? `^[^${BREAKS}]*$` : `^[^${BREAKS}]*[^${BREAKS}\\s][^${BREAKS}]*$`;
  return (mayBeEmpty ? text : text.min(1))
    .max(maxLength)
    .refine((value) => !BREAK.test(value), 'must be one line, without control characters')
    .register(described, { pattern });
}

/** A longer text is none of its names, with or without what nobody sees: it is not read for that, since a body has room for a million characters. */
const MOST_UNSEEN = 10;

/** What Unicode joins, or shows in another form: emoji, and the letters of scripts in which they touch or stack. In Latin, Greek and Cyrillic nothing does. */
const SHAPED = String.raw`[\p{ExtPict}\p{EMod}[[\p{L}\p{M}]--[\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{DI}]]]`;
/** What does it: joiners, variation selectors, and the tags of a flag. More of them in a row than a flag has do nothing. */
const SHAPING = String.raw`[\u200c\u200d\u180b-\u180f\ufe00-\ufe0f\u{e0020}-\u{e007f}\u{e0100}-\u{e01ef}]`;
const UNSEEN = new RegExp(String.raw`\p{DI}(?<!${SHAPED}${SHAPING}{1,9})(?<!\ufe0f(?=\u20e3))`, 'gv');
const MARKS = '\u200e\u200f\u061c';
const RIGHT_TO_LEFT = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}\p{sc=Rohg}]/u;

/**
 * Removes characters that show nothing (Default_Ignorable_Code_Point of UAX #44). A space of no width would make two names look alike, and a mark that reverses
 * the surrounding text would make it say something else. Characters that shape their neighbours stay, and so do marks of direction in a text that may have two
 * directions.
 */
function seen(text: string): string {
  const keepsMarks = RIGHT_TO_LEFT.test(text);
  return text.replace(UNSEEN, (unseen) => (keepsMarks && MARKS.includes(unseen) ? unseen : ''));
}

const DAYS_AND_TIMES = [
  z.iso.date(),
  z.iso.datetime({ offset: true }),
  // To the minute.
  z.iso.datetime({ offset: true, precision: -1 }),
];
const DAY_OR_TIME = z.union(DAYS_AND_TIMES);

/** A day (UTC) or a point in time. A refinement, like an id: `tools/list` has no room for patterns. */
export const DayOrTime = z
  .string()
  .refine(
    (value) => DAY_OR_TIME.safeParse(value).success,
    'must be a day such as 2026-01-31, or a time with its zone such as 2026-01-31T12:00:00Z',
  )
  .register(described, { pattern: anyOf(...DAYS_AND_TIMES.flatMap(({ _zod }) => _zod.pattern ?? [])) });

/** Of an input with both ends of a time: the other way round it would find nothing, which looks as if there were nothing. @param ranges from and to of each */
export const refuseReversed =
  <End extends string>(...ranges: readonly (readonly [from: End, to: End])[]) =>
  (given: { readonly [Each in End]?: string | undefined }, context: z.RefinementCtx): void => {
    for (const [from, to] of ranges) {
      const [start, end] = [given[from], given[to]];
      if (start === undefined || end === undefined || Date.parse(start) <= Date.parse(end)) continue;
      context.addIssue({ code: 'custom', path: [from], message: `must not be after ${to}` });
    }
  };

/** An id in a result. The service generated it, so it is described but not checked again. */
export const RecordId = z.string().meta({ format: 'uuid' });

/** A point in time, ISO 8601 in UTC with milliseconds. Described, like RecordId. */
export const Timestamp = z.string().meta({ format: 'date-time' });

export const MAX_PAGE_SIZE = 100;
/** `page` and `limit` of every list with numbered pages. */
export const paging = {
  page: z.int().min(1).max(1_000_000).default(1),
  limit: z.int().min(1).max(MAX_PAGE_SIZE).default(50),
};
/** How deep `page` reaches, in rows: skipping more costs too much. `cursor` reaches any depth. */
export const MAX_ROWS_BY_PAGE = 10_000;
/** `nextCursor` of the previous page; the instructions of the MCP server say so once for all tools. */
export const Cursor = z.string().max(600).register(described, { description: 'nextCursor' });
/** Like `paging`, for a list that may be long. */
export const deepPaging = {
  ...paging,
  cursor: Cursor.optional(),
};
export const NextCursor = z.string().nullable();
export const Pagination = z.object({ page: z.int(), limit: z.int(), total: z.int(), totalPages: z.int() });
/** Beyond this many, a list is not counted, unless its total is known. */
export const MAX_COUNTED = 10_000;
export const BoundedPagination = Pagination.extend({
  /** There are more than `total`, on more than `totalPages` pages. */
  totalIsLowerBound: z.literal(true).optional(),
});

export function pagination(page: number, limit: number, total: number): z.infer<typeof Pagination> {
  return { page, limit, total, totalPages: Math.ceil(total / limit) };
}

/** Of a project or a board. 0: stored by an earlier version of the service, and not changed since. */
export const ReadVersion = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .describe('The version that you read: CONFLICT if it has changed, so that a list does not undo changes by others');
