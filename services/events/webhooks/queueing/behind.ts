import { setQueued, unqueuedHeads } from '../../log/heads.repository.ts';
import type { HeadRecord } from '../../log/log.model.ts';
import { lowestCursors } from '../webhooks.repository.ts';

/** Logs that are looked at together. */
const PAGE_LOGS = 1_000;

/**
 * The organizations of which an enabled webhook is behind the log. Finding them costs as much as there are logs that have grown since anybody looked, and webhooks
 * that stay behind because their endpoints fail: all that are idle cost nothing.
 */
export async function organizationsBehind(): Promise<string[]> {
  const all: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const grown: readonly HeadRecord[] = await unqueuedHeads(after, PAGE_LOGS);
    const cursors = await lowestCursors(grown.map(({ _id }) => _id));
    const isBehind = ({ _id, seq }: HeadRecord) => (cursors.get(_id) ?? seq) < seq;
    await setQueued(grown.filter((head) => !isBehind(head)));
    all.push(...grown.filter(isBehind).map(({ _id }) => _id));
    after = grown.at(-1)?._id;
  }
  return all;
}
