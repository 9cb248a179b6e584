import { randomUUID } from 'node:crypto';
import type { PublishedLogEvent } from '@worktrack/contracts/events/event';
import { afterEach, beforeEach, vi } from 'vitest';
import { event, notificationService } from '../../testing.ts';

/** For a file of tests of channels: users of their own for each test, what they are told of, and processes that tell, which end with the test. */
export function channelTests(settings: () => Parameters<typeof notificationService>[0]) {
  const ends: (() => unknown)[] = [];
  const here = { organizationId: '', projectId: '', ada: '', workItemId: '', revision: 0 };
  beforeEach(() => {
    const [organizationId, projectId, ada, workItemId] = Array.from({ length: 4 }, () => randomUUID()) as string[];
    Object.assign(here, { organizationId, projectId, ada, workItemId, revision: 0 });
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** Another process that tells. */
  function replica(changes: Parameters<typeof notificationService>[0] = {}) {
    const telling = notificationService({ ...settings(), ...changes });
    telling.start();
    const stop = () => telling.stop();
    ends.push(stop);
    return { stop };
  }

  /** Somebody mentions them. */
  function mention(words: string, userId = here.ada, changes: Partial<PublishedLogEvent> = {}) {
    const { organizationId, projectId, workItemId: subjectId } = here;
    return event({
      ...{ organizationId, projectId, type: 'work_item.commented', subjectId, taskId: 'W-T-1' },
      ...{ revision: ++here.revision, data: { text: words, mentions: [userId] }, actor: null, ...changes },
    });
  }

  return { here, ends, replica, mention };
}
