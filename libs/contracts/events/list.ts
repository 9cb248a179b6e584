import { z } from 'zod';
import { exampleLoggedEvent, ids } from '../examples.ts';
import { ItemRef, ProjectId } from '../fields.ts';
import { operation } from '../operation.ts';
import { EVENT_TYPES, type EventType, LoggedEvent, SUBJECT_KINDS } from './event.ts';

export const MAX_EVENTS = 200;
const MAX_TYPES_LENGTH = 1_000;

const WHOLE_KINDS = SUBJECT_KINDS.map((kind) => `${kind}.*`);
/** For the description of the API only: the message below says more. */
const ANY_TYPE = `(?:${[...EVENT_TYPES, ...WHOLE_KINDS].map((name) => name.replaceAll(/[.*]/g, '\\$&')).join('|')})`;

/** Event types as a filter names them: separated by commas, `work_item.*` for all of a kind. */
export const EventTypes = z
  .string()
  .max(MAX_TYPES_LENGTH)
  .describe('Separated by commas; work_item.* means all of that kind')
  .meta({ pattern: `^${ANY_TYPE}(?:,${ANY_TYPE})*$` })
  .transform((text, context): readonly EventType[] => {
    const named = text.split(',').map((part) => part.trim());
    const unknown = named.find((name) => typesNamed(name).length === 0);
    if (unknown === undefined) return [...new Set(named.flatMap(typesNamed))];
    const kinds = SUBJECT_KINDS.map((kind) => `${kind}.*`).join(', ');
    context.addIssue(
      `is not a type of event: "${unknown}". Types look like work_item.moved; all types of a kind: ${kinds}; for all that the key may read, leave it out`,
    );
    return z.NEVER;
  });

/** @param name a type, or all of a kind (`work_item.*`). @returns none if there is no such type */
export function typesNamed(name: string): EventType[] {
  if (!name.endsWith('.*')) return EVENT_TYPES.filter((type) => type === name);
  return EVENT_TYPES.filter((type) => type.startsWith(name.slice(0, -1)));
}

/** What restricts a list or a stream of events. */
export const eventFilters = {
  types: EventTypes.optional(),
  projectId: ProjectId.optional(),
  /** Events about the item itself. */
  workItemId: ItemRef.optional(),
};

export const listEvents = operation({
  name: 'events.list',
  summary:
    "Read the organization's event log in order. Without `after`, the response says where the log ends, so that you can follow it from there.",
  permissions: [],
  effect: 'read',
  input: z.strictObject({
    after: z.int().min(0).optional().describe('nextSeq of the previous response; 0 is before the first event'),
    ...eventFilters,
    limit: z.int().min(1).max(MAX_EVENTS).default(50),
  }),
  output: z.object({
    /** The events that the key may see: seeing an event requires permission to read its subject. */
    events: z.array(LoggedEvent),
    /** The next `after`. It may advance even if no event was found; there may be more. */
    nextSeq: z.int(),
    /** The oldest event in the log. */
    oldestSeq: z.int(),
  }),
  errors: ['CURSOR_EXPIRED'],
  example: {
    input: { after: 4711, types: 'work_item.*', projectId: ids.project },
    output: { events: [exampleLoggedEvent], nextSeq: 4712, oldestSeq: 1 },
  },
  rest: 'GET /api/events',
});
