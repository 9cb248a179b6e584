import {
  FOR_YOU_KINDS,
  type ForYouItem,
  type ForYouKind,
  type listForYou as operation,
} from '@worktrack/contracts/gateway/for-you';
import type { Output } from '@worktrack/contracts/operation';
import { NEED_KINDS } from '@worktrack/contracts/work-items/attention';
import { readCursor, unknownCursor, writeCursor } from '@worktrack/runtime/validation/cursor';
import { z } from 'zod';
import type { Composition, CompositionContext } from './composition.ts';
import { summariesOf } from './notifications.ts';

/** Where a page ended: the kind, since when, and the id within the kind. */
const Position = z.tuple([z.enum(FOR_YOU_KINDS), z.iso.datetime(), z.uuid()]);

/** Each service lists the kinds that it knows, from where the last page ended; what is shown is the first of it all, in the order of the kinds. */
export const listForYou: Composition<typeof operation> = async (input, context) => {
  const { identity, clients, options, fail } = context;
  const { limit, kinds = FOR_YOU_KINDS } = input;
  const { id, name, email } = identity.user;
  const list = ['for-you', id, [...kinds].sort()];
  const place = input.cursor === undefined ? undefined : readCursor(input.cursor, list, Position);
  if (input.cursor !== undefined && !place) throw unknownCursor(fail, 'kinds');
  const names = [id, name, email];
  const [needs, mentions, invitations] = await Promise.all([
    clients.workitems.call('workItems.needs', { ...asked(NEED_KINDS, kinds, place), names, limit }, options),
    mentionsFor(asked(['mention'], kinds, place), limit, context),
    invitationsFor(asked(['invitation'], kinds, place), limit, context),
  ]);
  const all: ForYouItem[] = [
    ...needs.needed.map((needed) => ({ ...needed, id: `${needed.kind}/${needed.id}` })),
    ...mentions.items,
    ...invitations.items,
  ];
  all.sort((one, other) => FOR_YOU_KINDS.indexOf(one.kind) - FOR_YOU_KINDS.indexOf(other.kind));
  const items = all.slice(0, limit);
  const last = all.length > limit ? items.at(-1) : undefined;
  const counted = { ...NONE, ...needs.counts, mention: mentions.count, invitation: invitations.count };
  const counts = counted as Output<typeof operation>['counts'];
  const nextCursor = last ? writeCursor([last.kind, last.since, last.id.slice(last.kind.length + 1)], list) : null;
  return { output: { items, counts, nextCursor }, replayed: false };
};

async function mentionsFor(
  { kinds, after }: ReturnType<typeof asked<'mention'>>,
  limit: number,
  context: Pick<CompositionContext, 'clients' | 'options'>,
): Promise<{ readonly items: readonly ForYouItem[]; readonly count: number }> {
  const { mentions, count } = await context.clients.events.call(
    'notifications.mentions',
    { limit: kinds.length > 0 ? limit : 0, ...(after && { after: { since: after.since, id: after.id } }) },
    context.options,
  );
  const workItems = await summariesOf(mentions, context);
  const items = mentions.map(({ id, at, projectId, workItemId, actor, text }): ForYouItem => {
    const workItem = workItems.get(workItemId);
    const mention = { actor, ...(text !== undefined && { text }) };
    return { kind: 'mention', id: `mention/${id}`, since: at, projectId, mention, ...(workItem && { workItem }) };
  });
  return { items, count };
}

/** For those who may do something about them, as about all users: not within projects alone. */
async function invitationsFor(
  { kinds, after }: ReturnType<typeof asked<'invitation'>>,
  limit: number,
  { identity, clients, options }: Pick<CompositionContext, 'identity' | 'clients' | 'options'>,
): Promise<{ readonly items: readonly ForYouItem[]; readonly count: number }> {
  if (identity.projects || !identity.permissions.includes('users:write')) return { items: [], count: 0 };
  const { invitations, count } = await clients.keys.call(
    'users.invitations',
    { limit: kinds.length > 0 ? limit : 0, ...(after && { after: { since: after.since, id: after.id } }) },
    options,
  );
  const items = invitations.map(({ id, createdAt, state, expiresAt, user, invitedBy }): ForYouItem => {
    const invitation = { state, expiresAt, user, invitedBy };
    return { kind: 'invitation', id: `invitation/${id}`, since: createdAt, projectId: null, invitation };
  });
  return { items, count };
}

const NONE = Object.fromEntries(FOR_YOU_KINDS.map((kind) => [kind, 0]));

/** For a service that knows some of the kinds: which of them are still to come, and after what. */
function asked<Kind extends ForYouKind>(
  known: readonly Kind[],
  wanted: readonly ForYouKind[],
  place: z.infer<typeof Position> | undefined,
) {
  const [kind, since, id] = place ?? [];
  const left = FOR_YOU_KINDS.slice(kind ? FOR_YOU_KINDS.indexOf(kind) : 0);
  const isKnown = (each: ForYouKind | undefined): each is Kind => known.some((one) => one === each);
  return {
    kinds: known.filter((each) => wanted.includes(each) && left.includes(each)),
    ...(isKnown(kind) && since && id && { after: { kind, since, id } }),
  };
}
