import type { Log } from '@worktrack/rpc/types';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { CountedWindows } from '@worktrack/runtime/redis/counted-windows';
import { tooMany } from '../http/rate-headers.ts';
import { limited } from './limited.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Enough for mails that were lost; the link is in each answer, too. */
const MAX_OF_USER = 5;
/** Enough to invite all of a company that begins. */
const MAX_OF_ORGANIZATION = 500;

interface Invited {
  readonly organizationId: string;
  readonly userId: string;
}

/** Invitations, in windows of a day: each mails somebody who may never have asked for it. */
export class Invitations {
  readonly #ofUsers: CountedWindows;
  readonly #ofOrganizations: CountedWindows;

  constructor(needs: { readonly redis: Redis; readonly log: Log }) {
    this.#ofUsers = new CountedWindows({ ...needs, name: 'invitations of users', windowMs: DAY_MS });
    this.#ofOrganizations = new CountedWindows({ ...needs, name: 'invitations', windowMs: DAY_MS });
  }

  /** One more, over all gateways. @throws OperationError RATE_LIMITED */
  async count({ organizationId, userId }: Invited): Promise<void> {
    const ofUser = await this.#ofUsers.count(`${organizationId}/${userId}`);
    if (ofUser.count > MAX_OF_USER) throw tooManyOf(`A user may be invited ${MAX_OF_USER} times in a day.`, ofUser);
    const ofAll = await this.#ofOrganizations.count(organizationId);
    if (ofAll.count > MAX_OF_ORGANIZATION) {
      throw tooManyOf(`An organization may invite users ${MAX_OF_ORGANIZATION} times in a day.`, ofAll);
    }
  }

  /** Of one that nobody was mailed: it was refused, or is a replay. */
  async giveBack({ organizationId, userId }: Invited): Promise<void> {
    await this.#ofUsers.giveBack(`${organizationId}/${userId}`);
    await this.#ofOrganizations.giveBack(organizationId);
  }
}

function tooManyOf(what: string, { resetMs }: { readonly resetMs: number }) {
  limited.inc({ limit: 'invitations' });
  return tooMany(what, resetMs);
}
