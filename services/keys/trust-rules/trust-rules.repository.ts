import type { RoleLimit } from '@worktrack/contracts/keys/records';
import type { TrustRule } from '@worktrack/contracts/keys/trust-rules';
import { oneOf } from '@worktrack/runtime/database/one-of';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { type TrustRuleDocument, TrustRuleModel } from './trust-rules.model.ts';

/** What somebody decides about a rule. */
export type TrustRuleFields = Pick<
  TrustRuleDocument,
  'userId' | 'name' | 'preset' | 'issuer' | 'claims' | 'permissions' | 'ttlSeconds' | 'rateLimit' | 'reuse' | 'disabled'
> & {
  readonly projects: string[] | null;
  readonly roleLimit: RoleLimit | null;
  readonly jwks: (TrustRuleDocument['jwks'] & object) | null;
};

export async function rulesOfOrganization({ caller: { organizationId } }: Scope): Promise<TrustRuleDocument[]> {
  return TrustRuleModel.find({ organizationId }).sort({ _id: -1 }).lean();
}

export async function countRules({ caller, tx }: TransactionalScope): Promise<number> {
  return TrustRuleModel.countDocuments({ organizationId: caller.organizationId }, { session: tx });
}

export async function ruleById({ caller, tx }: Scope, id: string): Promise<TrustRuleDocument | undefined> {
  const { organizationId } = caller;
  return (await TrustRuleModel.findOne({ organizationId, _id: id }, null, { session: tx }).lean()) ?? undefined;
}

export async function insertRule(
  { caller, tx }: TransactionalScope & { readonly caller: { readonly userId: string } },
  fields: TrustRuleFields,
): Promise<TrustRuleDocument> {
  const document: TrustRuleDocument = {
    ...fields,
    _id: uuidv7(),
    organizationId: caller.organizationId,
    createdBy: caller.userId,
    generation: 1,
    createdAt: new Date(),
    lastUsedAt: null,
  };
  await TrustRuleModel.create([document], { session: tx });
  return document;
}

/** @param isAnother whether it trusts somebody else from now on, so that its living tokens end */
export async function changeRule(
  { caller: { organizationId }, tx }: TransactionalScope,
  id: string,
  fields: TrustRuleFields,
  isAnother: boolean,
): Promise<TrustRuleDocument> {
  return TrustRuleModel.findOneAndUpdate(
    { organizationId, _id: id },
    { $set: fields, ...(isAnother && { $inc: { generation: 1 } }) },
    { session: tx, returnDocument: 'after' },
  )
    .orFail()
    .lean();
}

export async function removeRule({ caller, tx }: TransactionalScope, id: string): Promise<void> {
  await TrustRuleModel.deleteOne({ organizationId: caller.organizationId, _id: id }, { session: tx });
}

export function claimsOf({ claims }: Pick<TrustRuleDocument, 'claims'>): TrustRule['claims'] {
  return Object.fromEntries(claims.map(({ name, is }) => [name, is]));
}

/** @param audience made of its id */
export function recordOf(document: TrustRuleDocument, audience: string): TrustRule {
  const { _id: id, name, preset, issuer, permissions, projects, userId, ttlSeconds, reuse, jwks } = document;
  const { requests, windowSeconds } = document.rateLimit;
  return {
    ...{ id, name, preset, issuer, audience, claims: claimsOf(document), permissions, projects: projects ?? null },
    ...{ userId, ttlSeconds, rateLimit: { requests, windowSeconds }, reuse },
    jwks: jwks ? { keys: [...jwks] } : null,
    disabled: document.disabled,
    createdBy: document.createdBy,
    createdAt: document.createdAt.toISOString(),
    lastUsedAt: document.lastUsedAt?.toISOString() ?? null,
  };
}

/** Across organizations: each id comes from the audience of a JWT, which belongs to one rule, or from a token of the rule. */
export async function rulesById(ids: readonly string[]): Promise<Map<string, TrustRuleDocument>> {
  if (ids.length === 0) return new Map();
  const found = await TrustRuleModel.find({ _id: oneOf(ids) }).lean();
  return new Map(found.map((rule) => [rule._id, rule]));
}

/** `lastUsedAt` may be late by this much: not each of many exchanges writes it. */
const NOTED_EVERY_MS = 2_000;

/** @param rule as it was read */
export async function noteRuleUse({ organizationId, _id, lastUsedAt }: TrustRuleDocument, at: Date): Promise<void> {
  if (lastUsedAt && at.getTime() - lastUsedAt.getTime() < NOTED_EVERY_MS) return;
  await TrustRuleModel.updateOne({ organizationId, _id }, { $max: { lastUsedAt: at } });
}
