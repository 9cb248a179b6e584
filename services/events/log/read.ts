import { EVENT_TYPES, permissionToSee } from '@worktrack/contracts/events/event';
import type { listEvents } from '@worktrack/contracts/events/list';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { headOf } from './heads.repository.ts';
import { between, oldestOf } from './places.repository.ts';

/** How many places one call examines: a filter that finds little must not walk a month. The caller continues from where it ended. */
const WINDOW = 2_000;

/** What follows a place in the log, as far as the caller may see it. */
export const readLog: Read<typeof listEvents> = async (input, { caller, fail }) => {
  const { organizationId, permissions, projects } = caller;
  // First: everything at a lower place is stored and visible.
  const head = await headOf(organizationId);
  const { after = head, limit, types = EVENT_TYPES, projectId, workItemId } = input;
  const projectIds =
    projectId === undefined ? projects : [projectId].filter((id) => !projects || projects.includes(id));
  const visible = types.filter((type) => permissions.includes(permissionToSee(type)));
  // Where nothing is left out, these places are the page. Some databases read all that they are asked about, whatever the limit.
  const isWhole = visible.length === EVENT_TYPES.length && projectIds === undefined && workItemId === undefined;
  const upTo = Math.min(head, after + (isWhole ? limit : WINDOW));
  const events =
    visible.length === 0 || projectIds?.length === 0 || upTo <= after
      ? []
      : await between(organizationId, { after, upTo }, { types: visible, projectIds, workItemId }, limit);
  // Last: what the log has dropped meanwhile may be missing above.
  const oldestSeq = (await oldestOf(organizationId)) ?? head + 1;
  if (after > head || after + 1 < Math.min(oldestSeq, head + 1)) {
    throw fail(
      'CURSOR_EXPIRED',
      after > head
        ? `The log ends at ${head}, before ${after}: it was restored from a backup. Read the current state, then continue from the end of the log (without after).`
        : `The log begins at ${oldestSeq}, so events after ${after} are gone. Read the current state, then continue with after=${oldestSeq - 1} or, without after, from the end of the log.`,
      { oldestSeq },
    );
  }
  const isFull = events.length === limit;
  return { events, nextSeq: isFull ? (events.at(-1)?.seq ?? upTo) : upTo, oldestSeq };
};
