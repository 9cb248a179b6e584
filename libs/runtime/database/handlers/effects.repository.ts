import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '@worktrack/contracts/caller';
import { open, seal } from '../../process/sealed.ts';
import type { WriteSet } from '../writes/write-set.ts';
import { canonicalInput } from './canonical-input.ts';
import { EffectModel, type EffectRecord } from './effects.model.ts';

/** What identifies a write: the same identity takes effect once. */
export interface EffectIdentity {
  readonly id: string;
  readonly operation: string;
  readonly inputHash: string;
  /** The items that the input names. */
  readonly names: readonly string[];
  /** The hash used by an earlier version, whose records last for a day. */
  readonly earlierInputHash: () => string;
  /** What only a repetition of the very same call knows; a call of an earlier version has none. */
  readonly callSecret?: string | undefined;
  /** For inputs that name items in several forms; without it, different names mean different items. */
  readonly areSameItems?: AreSameItems | undefined;
}

/** Whether each of these pairs of different names refers to the same item. */
export type AreSameItems = (pairs: readonly (readonly [string, string])[]) => Promise<boolean>;

/** Marks hashes of the session's project and the canonical input. Earlier ones are of the input as it was written. */
const CANONICAL = '2:';

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');

export interface EffectKey {
  readonly idempotencyKey: string;
  /**
   * Everything about the caller that the result depends on:
   * - its organization (`-` for internal operations), so that organizations' keys never collide;
   * - the project of an MCP session;
   * - the only projects that exist for it, so that an answer is not repeated to a caller who sees less.
   */
  readonly caller: Pick<Caller, 'organizationId' | 'sessionProjectId' | 'projects'>;
  /** Whose own it is about: the id of the caller's user or key. */
  readonly own?: string | undefined;
}

/** @param input as parsed by the contract, so that omitting a default and giving it are the same request */
export function effectIdentity(
  { idempotencyKey, caller: { organizationId, sessionProjectId, projects }, own }: EffectKey,
  operation: string,
  input: unknown,
): EffectIdentity {
  const { text, names } = canonicalInput(input);
  const within = projects ? `\n${projects.toSorted()}` : '';
  return {
    id: `${organizationId}:${idempotencyKey}`,
    operation,
    inputHash: CANONICAL + sha256(`${sessionProjectId ?? ''}${within}${own ? `\nof ${own}` : ''}\n${text}`),
    names,
    earlierInputHash: () => sha256(JSON.stringify(input)),
  };
}

/** Thrown out of a transaction whose effect was committed before: read the result from its record. */
export class AlreadyDone extends Error {}

/** What is recorded of a result. */
export interface Recorded {
  readonly answer: unknown;
  /** The result, where the answer leaves something out that the call itself may be told again. */
  readonly whole?: unknown;
}

/**
 * The record is part of the effect's transaction: the database itself rejects a second one with the same identity.
 * @returns whether this record is the stored one. If the reply to its commit was lost, it is sent again, and then rejected because of itself
 */
export function recordEffect(
  identity: EffectIdentity,
  { answer, whole }: Recorded,
  writes: WriteSet,
): () => Promise<boolean> {
  const { id, operation, inputHash, names, callSecret } = identity;
  const attempt = randomBytes(9).toString('base64url');
  const record: EffectRecord = {
    _id: id,
    operation,
    inputHash,
    ...(names.length > 0 ? { names: [...names] } : {}),
    answer: JSON.stringify(answer),
    ...(callSecret !== undefined && {
      call: sha256(callSecret),
      ...(whole !== undefined && { sealed: seal(JSON.stringify(whole), keyOf(callSecret), id) }),
    }),
    attempt,
    createdAt: new Date(),
  };
  writes.insertFirst(EffectModel, record, () => new AlreadyDone());
  return async () => (await EffectModel.findById(id, { attempt: 1 }).lean())?.attempt === attempt;
}

const keyOf = (callSecret: string) => Buffer.from(callSecret, 'base64url');

/** Whether the effect's transaction was committed. */
export async function isRecorded({ id }: EffectIdentity): Promise<boolean> {
  return (await EffectModel.exists({ _id: id })) !== null;
}

/** The result of an earlier write with this identity, if there was one. */
export async function earlierAnswer(
  identity: EffectIdentity,
): Promise<{ readonly sameRequest: boolean; readonly sameCall: boolean; readonly answer: unknown } | undefined> {
  const record = await EffectModel.findById(identity.id).lean();
  if (!record) return undefined;
  const { callSecret } = identity;
  const sameCall = callSecret !== undefined && record.call === sha256(callSecret);
  const { sealed } = record;
  return {
    sameRequest: record.operation === identity.operation && (await isSameInput(record, identity)),
    sameCall,
    answer: JSON.parse(sameCall && sealed !== undefined ? open(sealed, keyOf(callSecret), identity.id) : record.answer),
  };
}

async function isSameInput({ inputHash, names = [] }: EffectRecord, identity: EffectIdentity): Promise<boolean> {
  if (!inputHash.startsWith(CANONICAL)) return inputHash === identity.earlierInputHash();
  if (inputHash !== identity.inputHash || names.length !== identity.names.length) return false;
  const pairs = names.flatMap((name, at) => {
    const other = identity.names[at] as string;
    return name === other ? [] : [[name, other] as const];
  });
  return pairs.length === 0 || (await identity.areSameItems?.(pairs)) === true;
}
