import { eraseUserFromEntries } from '../audit/erase.repository.ts';
import { eraseUserFromLog } from '../log/erase-user.repository.ts';
import { forgetErased } from '../notifications/notify.ts';
import { holdErasure, openErasures, removeErasure } from './erasures.repository.ts';

const AT_ONCE = 100;
/** After this, another process continues what one that has died began. */
const HELD_MS = 2 * 60_000;

/**
 * Drops what the logs say about who erased users are. Not as part of the intake, which only notes it: this walks all of an organization's log, and the events of
 * all others would wait for it.
 */
export async function eraseNoted(): Promise<void> {
  for (;;) {
    const open = await openErasures(new Date(), AT_ONCE);
    for (const each of open) {
      const { organizationId, userId } = each;
      if (!(await holdErasure(each, new Date(Date.now() + HELD_MS)))) continue;
      await eraseUserFromLog(organizationId, userId);
      await eraseUserFromEntries(organizationId, userId);
      await forgetErased(organizationId, userId);
      await removeErasure(each);
    }
    if (open.length < AT_ONCE) return;
  }
}
