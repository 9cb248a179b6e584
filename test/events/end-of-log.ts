import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { expect } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';

/**
 * Where the log ends once everything known so far is in it, and a task that can be claimed: that it is is the last thing said of its creation. The two
 * events may be taken in apart, in a burst of others. Once a minute the signed head of the audit log may come after it, so that a reader's last event is
 * this one or a later one.
 */
export async function endOfLog({ boardId, columns, call }: TestOrganization): Promise<number> {
  const body = { title: 'The last one', type: 'task', boardId, boardColumnId: columns['To Do'] };
  const { id } = (await call<{ id: string }>('POST', '/api/work-items', body)).data;
  const types = async () =>
    (await call<{ events: LoggedEvent[] }>('GET', `/api/events?after=0&workItemId=${id}`)).data.events.map(
      ({ type }) => type,
    );
  await expect.poll(types).toContain('work_item.ready');
  return (await call<{ nextSeq: number }>('GET', '/api/events')).data.nextSeq;
}
