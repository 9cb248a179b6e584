import { isDeepStrictEqual } from 'node:util';
import type { Fail } from '@worktrack/contracts/errors';
import {
  type createTrustRule as createOp,
  type deleteTrustRule as deleteOp,
  MAX_KEPT_KEYS_BYTES,
  MAX_TRUST_RULES,
  type TrustRule,
  type listTries as triesOp,
  type updateTrustRule as updateOp,
} from '@worktrack/contracts/keys/trust-rules';
import type { FailureOf, Input } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read, WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import type { Scope } from '@worktrack/runtime/database/scope';
import { takeAccessTurn } from '../access-turn.ts';
import { actingUser, grantable } from '../keys/create.ts';
import { identityNow } from '../keys/identity-now.ts';
import { limitsOfCaller } from '../keys/key-of-caller.ts';
import { rateOf } from '../keys/keys.repository.ts';
import { rateWithin } from '../keys/rate-within.ts';
import { roleLimitOfMade } from '../keys/role-limit-of-made.ts';
import { DEFAULT_ISSUERS, problemOfRule } from '../trust-rules/presets.ts';
import { publicJwk } from '../trust-rules/public-jwk.ts';
import { removeTries, triesOf } from '../trust-rules/tries.repository.ts';
import type { PublicJwk, TrustRuleDocument } from '../trust-rules/trust-rules.model.ts';
import {
  changeRule,
  claimsOf,
  countRules,
  insertRule,
  recordOf,
  removeRule,
  ruleById,
  type TrustRuleFields,
} from '../trust-rules/trust-rules.repository.ts';
import { requireAllHeldOf } from '../users/all-held-of.ts';
import { audienceOf, type TrustSettings } from './settings.ts';

type Context = WriteContext<FailureOf<typeof updateOp>>;

export async function createTrustRule(
  settings: TrustSettings,
  { jwks, ...input }: Input<typeof createOp>,
  context: Context,
): Promise<TrustRule> {
  if ((await countRules(context)) >= MAX_TRUST_RULES) {
    throw context.fail(
      'CONFLICT',
      `The organization has ${MAX_TRUST_RULES} rules of trust, which is the limit. Delete some that nobody uses.`,
      { reason: 'limit' },
    );
  }
  const { caller } = context;
  const fields = await allowed(settings, context, {
    name: input.name,
    preset: input.preset,
    issuer: input.issuer ?? DEFAULT_ISSUERS[input.preset],
    claims: input.claims,
    permissions: input.permissions ?? [...caller.permissions],
    projects: input.projects ?? null,
    userId: input.userId ?? caller.userId,
    ttlSeconds: input.ttlSeconds,
    rateLimit: input.rateLimit,
    reuse: input.reuse,
    jwks: jwks ? publicKeys(jwks.keys, context) : null,
    disabled: input.disabled,
  });
  await takeAccessTurn(context);
  const rule = await insertRule(context, fields);
  return recordOf(rule, audienceOf(rule._id, settings));
}

/** Its other half, evicting the tokens that the rule has given from the gateways' cache, follows once this is committed. */
export async function updateTrustRule(
  settings: TrustSettings,
  { id, ...given }: Input<typeof updateOp>,
  context: Context,
): Promise<TrustRule> {
  const rule = await requireRule(id, context);
  await requireAllHeldOf(context, rule, 'change');
  const before = fieldsOf(rule);
  const isStop = given.disabled === true && Object.keys(given).length === 1;
  const { claims, jwks, ...rest } = given;
  const after = isStop
    ? { ...before, disabled: true }
    : await allowed(settings, context, {
        ...{ ...before, ...withoutUndefined(rest) },
        claims: claims ?? claimsOf(rule),
        jwks: jwks === undefined ? before.jwks : jwks && publicKeys(jwks.keys, context),
      });
  if (isDeepStrictEqual(before, after)) return recordOf(rule, audienceOf(id, settings));
  await takeAccessTurn(context);
  return recordOf(await changeRule(context, id, after, isAnother(before, after)), audienceOf(id, settings));
}

export const deleteTrustRule: WriteAlone<typeof deleteOp> = async ({ id }, context) => {
  await requireAllHeldOf(context, await requireRule(id, context));
  await takeAccessTurn(context);
  await removeRule(context, id);
  await removeTries(context, id);
  return { id };
};

export const listTries: Read<typeof triesOp> = async ({ id }, context) => {
  await requireRule(id, context);
  const tries = await triesOf(context, id);
  return tries.flatMap(({ at: time, id: tryId, mismatches }) => {
    const at = time.toISOString();
    return mismatches.map((each) => ({ id: tryId ?? at, at, ...each }));
  });
};

async function requireRule(
  id: string,
  context: Scope & { readonly fail: Fail<'NOT_FOUND'> },
): Promise<TrustRuleDocument> {
  const rule = await ruleById(context, id);
  if (rule) return rule;
  throw context.fail(
    'NOT_FOUND',
    `There is no rule of trust ${id} in your organization. GET /api/trust-rules lists them.`,
  );
}

interface Wanted extends Omit<TrustRuleFields, 'issuer' | 'claims' | 'rateLimit' | 'roleLimit'> {
  readonly issuer: string | undefined;
  readonly claims: TrustRule['claims'];
  readonly rateLimit: TrustRule['rateLimit'] | undefined;
}

/** Nobody gives more than they hold, and no rule trusts more than its maker means. */
async function allowed(settings: TrustSettings, context: Context, wanted: Wanted): Promise<TrustRuleFields> {
  const { fail } = context;
  const { issuer, claims, jwks } = wanted;
  const problem =
    problemOfRule({ preset: wanted.preset, issuer, claims, hasKeys: jwks !== null }) ??
    problemOfAddress(settings, issuer ?? '', jwks !== null);
  if (problem) throw fail('VALIDATION_FAILED', `${problem.path} ${problem.message}.`, { details: [problem] });
  const permissions = grantable(wanted.permissions, context);
  const userId = await actingUser(wanted.userId, context);
  const maker = await limitsOfCaller(context);
  if (maker.expiresAt) {
    throw fail(
      'PERMISSION_DENIED',
      `Your key expires at ${maker.expiresAt.toISOString()}, and a rule of trust has no end. Use a key that has none either.`,
    );
  }
  return {
    ...wanted,
    issuer: issuer ?? '',
    claims: Object.entries(claims).map(([name, is]) => ({ name, is })),
    permissions,
    userId,
    // Whoever changes a rule may change whom it trusts: it is as if they had made it.
    roleLimit: roleLimitOfMade(await identityNow(context.caller), context.caller, userId) ?? null,
    rateLimit: rateWithin(rateOf(maker), wanted.rateLimit, context),
  };
}

/** Nothing is asked of the issuer here, but where its keys can never be fetched from is said at once. */
function problemOfAddress({ destinations }: TrustSettings, issuer: string, hasKeys: boolean) {
  if (hasKeys) return undefined;
  const message = !URL.canParse(issuer)
    ? 'must be a URL, where the keys are found, or the keys must be given in jwks'
    : /[?#]/.test(issuer)
      ? 'must have neither a query nor a fragment'
      : destinations.problemOf(issuer);
  return message === undefined ? undefined : { path: 'issuer', message };
}

const NEVER_FOUND = 'must have a kid: a token says by it which key has signed it, and this one would never be found';

function publicKeys(given: readonly Readonly<Record<string, unknown>>[], { fail }: Context): PublicJwk[] {
  const kept = given.map((each, index) => {
    const found = publicJwk(each);
    if ('jwk' in found && found.jwk.kid) return found.jwk;
    const message = 'problem' in found ? found.problem : NEVER_FOUND;
    const path = `jwks.keys.${index}`;
    throw fail('VALIDATION_FAILED', `${path} ${message}.`, { details: [{ path, message }] });
  });
  if (Buffer.byteLength(JSON.stringify(kept)) <= MAX_KEPT_KEYS_BYTES) return kept;
  const message = `must be at most ${MAX_KEPT_KEYS_BYTES} bytes as JSON, without members that no signature is verified with`;
  throw fail('VALIDATION_FAILED', `jwks.keys ${message}.`, { details: [{ path: 'jwks.keys', message }] });
}

function fieldsOf(rule: TrustRuleDocument): TrustRuleFields {
  const { name, preset, issuer, claims, permissions, userId, ttlSeconds, rateLimit, reuse, disabled } = rule;
  const { projects, jwks } = rule;
  return {
    ...{ name, preset, issuer, permissions, userId, ttlSeconds, rateLimit: { ...rateLimit }, reuse, disabled },
    claims: claims.map(({ name, is }) => ({ name, is })),
    projects: projects ?? null,
    roleLimit: rule.roleLimit ?? null,
    jwks: jwks ?? null,
  };
}

/** Whether what was proven to the rule before is no proof any more, or of another user; or whether it was stopped. */
function isAnother(before: TrustRuleFields, after: TrustRuleFields): boolean {
  const proven = ({ preset, issuer, claims, jwks, userId }: TrustRuleFields) => ({
    preset,
    issuer,
    // By their names: in another order they are the same.
    claims: claimsOf({ claims }),
    jwks,
    userId,
  });
  return !isDeepStrictEqual(proven(before), proven(after)) || (after.disabled && !before.disabled);
}

function withoutUndefined<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
