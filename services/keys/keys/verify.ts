import type { currentIdentity as current, verifyIdentity as operation } from '@worktrack/contracts/keys/identity';
import { ACCESS_TOKEN_MARK, KEY_MARK, SESSION_MARK, TRUST_TOKEN_MARK } from '@worktrack/contracts/keys/key-format';
import type { Organization, RoleLimit, User } from '@worktrack/contracts/keys/records';
import type { Output } from '@worktrack/contracts/operation';
import type { Permission } from '@worktrack/contracts/permissions';
import { intersectionOf } from '@worktrack/contracts/rights';
import type { Answered, Call } from '@worktrack/rpc/types';
import type { GrantTokenDocument } from '../grants/grant-tokens.model.ts';
import { grantTokensByPrefix } from '../grants/grant-tokens.repository.ts';
import type { GrantDocument } from '../grants/grants.model.ts';
import { grantsById, isLiving } from '../grants/grants.repository.ts';
import { organizationsById } from '../organizations/organizations.repository.ts';
import { permissionsOfRoles } from '../roles/roles.repository.ts';
import type { SessionDocument } from '../sessions/sessions.model.ts';
import { activeSessionsByPrefix } from '../sessions/sessions.repository.ts';
import type { TokenDocument } from '../tokens/tokens.model.ts';
import { tokensByPrefix } from '../tokens/tokens.repository.ts';
import type { TrustRuleDocument } from '../trust-rules/trust-rules.model.ts';
import { rulesById } from '../trust-rules/trust-rules.repository.ts';
import { lowest, roleLimitOf, roleWithin } from '../users/role-limit.ts';
import { usersById } from '../users/users.repository.ts';
import type { KeyDocument } from './keys.model.ts';
import { activeKeysById, activeKeysByPrefix, rateOf, replacedKeys } from './keys.repository.ts';
import { tellOfLateUse } from './late-use.ts';
import type { KeyMint } from './mint.ts';

type Answer = Output<typeof operation>;

/** What is presented: a key, a session with the key that it was created with, or a token with the rule, or the grant, that gave it. */
type Credential = OfKey | OfRule | OfGrant;

interface OfKey {
  readonly hash: string;
  readonly key: KeyDocument;
  readonly session: SessionDocument | undefined;
}

interface OfRule {
  readonly hash: string;
  readonly rule: TrustRuleDocument;
  readonly token: TokenDocument;
  readonly expiresAt: Date;
}

interface OfGrant {
  readonly hash: string;
  readonly grant: GrantDocument;
  readonly token: GrantTokenDocument;
}

/** Resolves all keys and sessions that were presented together, with a few reads. Every call is answered from reads that started after it arrived. */
export async function verifyIdentities(
  mint: KeyMint,
  calls: readonly Call<typeof operation>[],
): Promise<Answered<Answer>[]> {
  const credentials = await credentialsOf([...new Set(calls.map(({ input }) => input.prefix))]);
  const identify = await identifierOf([...credentials.values()]);
  await tellOfRefused(mint, calls, credentials);
  return calls.map(({ input }) => {
    const credential = credentials.get(input.prefix);
    if (!credential || !mint.recognises(credential.hash, input.digest)) return { output: { verified: null } };
    return { output: { verified: identify(credential) } };
  });
}

/** Keys that were replaced and whose overlap is over. */
async function tellOfRefused(
  mint: KeyMint,
  calls: readonly Call<typeof operation>[],
  credentials: ReadonlyMap<string, Credential>,
): Promise<void> {
  const refused = calls.filter(({ input }) => !credentials.has(input.prefix) && input.prefix.startsWith(KEY_MARK));
  const replaced = await replacedKeys({ prefix: [...new Set(refused.map(({ input }) => input.prefix))] });
  await Promise.all(
    replaced.map(async (key) => {
      const call = refused.find(({ input }) => input.prefix === key.prefix && mint.recognises(key.hash, input.digest));
      if (call) await tellOfLateUse(key, new Date(), call.context.log);
    }),
  );
}

/** Whom they speak for now, without the keys themselves: for what was granted in their name. */
export async function identitiesOf(prefixes: readonly string[]): Promise<Output<typeof current>[]> {
  const credentials = await credentialsOf([...new Set(prefixes)]);
  const identify = await identifierOf([...credentials.values()]);
  return prefixes.map((prefix) => {
    const credential = credentials.get(prefix);
    const verified = credential ? identify(credential) : null;
    if (!verified) return { identity: null };
    const { identity, rateLimit, countedAs } = verified;
    return { identity, rateLimit, ...(countedAs !== undefined && { countedAs }) };
  });
}

/** A session exists as long as its key does, and a token as long as its rule or its grant says. */
async function credentialsOf(prefixes: readonly string[]): Promise<Map<string, Credential>> {
  const ofSessions = prefixes.filter((prefix) => prefix.startsWith(SESSION_MARK));
  const ofRules = prefixes.filter((prefix) => prefix.startsWith(TRUST_TOKEN_MARK));
  const ofGrants = prefixes.filter((prefix) => prefix.startsWith(ACCESS_TOKEN_MARK));
  const ofKeys = prefixes.filter((prefix) => prefix.startsWith(KEY_MARK));
  const [sessions, keys, ...tokens] = await Promise.all([
    ofSessions.length === 0 ? [] : activeSessionsByPrefix(ofSessions),
    ofKeys.length === 0 ? new Map<string, KeyDocument>() : activeKeysByPrefix(ofKeys),
    ofRules.length === 0 ? [] : credentialsOfRules(ofRules),
    ofGrants.length === 0 ? [] : credentialsOfGrants(ofGrants),
  ]);
  const found = new Map<string, Credential>(tokens.flat().map((each) => [each.token.prefix, each]));
  for (const [prefix, key] of keys) found.set(prefix, { hash: key.hash, key, session: undefined });
  if (sessions.length === 0) return found;
  const origins = await activeKeysById([...new Set(sessions.map(({ keyId }) => keyId))]);
  for (const session of sessions) {
    const key = origins.get(session.keyId);
    if (key) found.set(session.prefix, { hash: session.hash, key, session });
  }
  return found;
}

/** Of the rule as it is now: a shorter life is that of the tokens that it gave, too, and what it trusts no more is over. */
async function credentialsOfRules(prefixes: readonly string[]): Promise<OfRule[]> {
  const tokens = await tokensByPrefix(prefixes);
  const rules = await rulesById([...new Set(tokens.map(({ ruleId }) => ruleId))]);
  return tokens.flatMap((token) => {
    const rule = rules.get(token.ruleId);
    if (!rule || rule.disabled || rule.generation !== token.generation) return [];
    const endsAtMs = Math.min(token.expiresAt.getTime(), token.createdAt.getTime() + rule.ttlSeconds * 1_000);
    return endsAtMs > Date.now() ? [{ hash: token.hash, rule, token, expiresAt: new Date(endsAtMs) }] : [];
  });
}

async function credentialsOfGrants(prefixes: readonly string[]): Promise<OfGrant[]> {
  const tokens = await grantTokensByPrefix(prefixes);
  const grants = await grantsById([...new Set(tokens.map(({ grantId }) => grantId))]);
  return tokens.flatMap((token) => {
    const grant = grants.get(token.grantId);
    return grant && isLiving(grant) ? [{ hash: token.hash, grant, token }] : [];
  });
}

async function identifierOf(
  credentials: readonly Credential[],
): Promise<(credential: Credential) => Answer['verified']> {
  const [users, organizations] = await Promise.all([
    usersById([...new Set(credentials.flatMap(usersOf))]),
    organizationsById([...new Set(credentials.map((each) => giverOf(each).organizationId))]),
  ]);
  const held = await permissionsOfRoles([...users.values()].map(({ role }) => role));
  return (credential) => {
    if ('token' in credential) {
      const { userId, organizationId } = giverOf(credential);
      const user = users.get(userId);
      const organization = organizations.get(organizationId);
      if (!isActive(user) || !organization) return null;
      const speakers = { user, organization, held };
      return 'rule' in credential ? identifyToken(credential, speakers) : identifyApp(credential, speakers);
    }
    const { key, session } = credential;
    const keyUser = users.get(key.userId);
    const user = users.get(session?.userId ?? key.userId);
    const organization = organizations.get(key.organizationId);
    if (!isActive(keyUser) || !isActive(user) || !organization) return null;
    return identify(credential, { keyUser, user, organization, held });
  };
}

/** What stands behind it. */
function giverOf(credential: Credential): KeyDocument | TrustRuleDocument | GrantDocument {
  if ('rule' in credential) return credential.rule;
  return 'grant' in credential ? credential.grant : credential.key;
}

const usersOf = (credential: Credential): string[] => {
  const { userId } = giverOf(credential);
  return [userId, ('session' in credential && credential.session?.userId) || userId];
};

interface Speakers {
  readonly keyUser: User;
  readonly user: User;
  readonly organization: Organization;
  /** By role. */
  readonly held: ReadonlyMap<string, readonly Permission[]>;
}

/** What goes by the role goes by no higher one than this. */
function speakerOf(
  { user, organization }: Pick<Speakers, 'user' | 'organization'>,
  limit: RoleLimit | null | undefined,
) {
  const { id, name, email, role } = user;
  return {
    user: { id, name, email, role: roleWithin(role, limit) },
    organization: { id: organization.id, name: organization.name },
    ...(limit && { roleLimit: limit }),
  };
}

function identifyToken(
  { rule, token, expiresAt: endsAt }: OfRule,
  { user, organization, held }: Omit<Speakers, 'keyUser'>,
): Answer['verified'] {
  const allowed = held.get(user.role);
  const expiresAt = endsAt.toISOString();
  const { requests, windowSeconds } = rule.rateLimit;
  return {
    identity: {
      ...speakerOf({ user, organization }, rule.roleLimit),
      permissions: token.permissions.filter((each) => rule.permissions.includes(each) && allowed?.includes(each)),
      projects: intersectionOf(rule.projects, user.projects),
      key: { id: token._id, name: rule.name, prefix: token.prefix },
      rule: { id: rule._id, expiresAt },
    },
    expiresAt,
    rateLimit: { requests, windowSeconds },
    countedAs: `rule:${rule._id}`,
  };
}

function identifyApp(
  { grant, token }: OfGrant,
  { user, organization, held }: Omit<Speakers, 'keyUser'>,
): Answer['verified'] {
  const allowed = held.get(user.role) ?? [];
  const { _id: id, permissions, resource, clientName: name, rateLimit } = grant;
  const expiresAt = token.expiresAt.toISOString();
  return {
    identity: {
      ...speakerOf({ user, organization }, grant.roleLimit),
      permissions: permissions.filter((each) => allowed.includes(each)),
      projects: intersectionOf(grant.projects, user.projects),
      key: { id, name, prefix: token.prefix },
      grant: { id, resource, expiresAt, grantable: allowed.filter((each) => !permissions.includes(each)) },
    },
    expiresAt,
    rateLimit: { requests: rateLimit.requests, windowSeconds: rateLimit.windowSeconds },
    countedAs: `grant:${id}`,
  };
}

function identify({ key, session }: OfKey, { keyUser, user, organization, held }: Speakers): Answer['verified'] {
  // A role may have lost what its user's keys were given, or regained it.
  const narrowed = (own: readonly Permission[], { role }: User) =>
    own.filter((permission) => held.get(role)?.includes(permission));
  const ofKey = narrowed(key.permissions, keyUser);
  const projects = intersectionOf(key.projects, keyUser.projects, user.projects);
  const { rotatedFrom } = key;
  const rateLimit = rateOf(key);
  if (!session) {
    return {
      identity: {
        ...speakerOf({ user, organization }, key.roleLimit),
        permissions: ofKey,
        projects,
        key: { id: key._id, name: key.name, prefix: key.prefix },
        ...(rotatedFrom && { rotatedFrom: rotatedFrom.id }),
      },
      expiresAt: key.expiresAt?.toISOString() ?? null,
      rateLimit,
      ...(rotatedFrom && { countedAs: rotatedFrom.prefix }),
    };
  }
  const expiresAt = session.expiresAt.toISOString();
  const isOther = user.id !== key.userId;
  const counted = rotatedFrom?.prefix ?? key.prefix;
  const allowed = session.permissions.filter((permission) => ofKey.includes(permission));
  // Whoever signs somebody else in has had the code in their hands.
  const roleLimit = lowest(key.roleLimit, isOther ? roleLimitOf(allowed) : null);
  return {
    identity: {
      ...speakerOf({ user, organization }, roleLimit),
      permissions: narrowed(allowed, user),
      projects,
      key: { id: session._id, name: key.name, prefix: session.prefix },
      session: { keyId: key._id, ...(isOther && { keyUserId: key.userId }), expiresAt },
      ...(rotatedFrom && { rotatedFrom: rotatedFrom.id }),
    },
    expiresAt,
    rateLimit,
    // Whoever was invited takes nothing from whoever has invited them, nor from the others.
    countedAs: isOther ? `${counted}/${user.id}` : counted,
  };
}

function isActive(user: User | undefined): user is User {
  return user !== undefined && !user.disabled;
}
