import { isUuid } from '@worktrack/contracts/fields';
import type { nameOfUser as ofUser, namedUsers as operation } from '@worktrack/contracts/keys/named-users';
import { handleOf } from '@worktrack/contracts/people/mentions';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { type Meant, nameOf, usersMeant } from './users.repository.ts';

/** A name that several users share means each of them. */
export const namedUsers: Read<typeof operation> = async ({ names }, context) => {
  const asked = [...new Set(names)].map((as) => ({ as, ...meant(as) }));
  const found = await usersMeant(context, asked);
  const users = asked.flatMap(({ as, id, email, handle }) =>
    found
      .filter((user) => user._id === id || user.email === email || user.handle === handle)
      .map((user) => ({ id: user._id, name: user.name, as })),
  );
  return { users };
};

function meant(as: string): Meant {
  if (as.startsWith('@')) return { handle: handleOf(as.slice(1)) };
  if (isUuid(as)) return { id: as.toLowerCase() };
  return { email: as.trim().toLowerCase(), handle: handleOf(as) };
}

export const nameOfUser: Read<typeof ofUser> = async ({ id }, context) => {
  return { named: await nameOf(context, id) };
};
