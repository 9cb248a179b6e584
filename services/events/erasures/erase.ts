import { eraseUserFromEntries } from '../audit/erase.repository.ts';
import { eraseUserFromLog, namesInLog } from '../log/erase-user.repository.ts';
import { forgetErased } from '../notifications/notify.ts';
import { holdErasure, keepNames, openErasures, removeErasure } from './erasures.repository.ts';

const AT_ONCE = 100;
/** After this, another process continues what one that has died began, and all is looked through once more. */
const HELD_MS = 2 * 60_000;

/**
 * Drops what the logs say about who erased users are. The intake only notes an erasure: this walks all of an organization's log, and the events of all others
 * would wait for it. It runs again once nothing under way with the name can still arrive. An item is assigned by name until `workitems` has followed
 * (services/workitems/people/follow-names.ts), and taking it over before then says from whom.
 */
export async function eraseNoted(now = new Date()): Promise<void> {
  for (;;) {
    const open = await openErasures(now, AT_ONCE);
    for (const each of open) {
      const { organizationId, userId, names: known } = each;
      if (!(await holdErasure(each, new Date(now.getTime() + HELD_MS)))) continue;
      const names = new Set([...(known ?? []), ...(await namesInLog(organizationId, userId))]);
      await keepNames(each, names);
      await eraseUserFromLog(organizationId, userId, names);
      await eraseUserFromEntries(organizationId, userId);
      await forgetErased(organizationId, userId);
      if (known) await removeErasure(each);
    }
    if (open.length < AT_ONCE) return;
  }
}
