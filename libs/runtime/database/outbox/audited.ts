import type { AuditActor, AuditChange, AuditDraft, AuditTarget } from '@worktrack/contracts/audit/entry';
import type { AuditTargetType } from '@worktrack/contracts/audit/target';
import type { Caller } from '@worktrack/contracts/caller';
import type { Operation } from '@worktrack/contracts/operation';
import { uuidv7 } from '../../process/uuid.ts';
import type { WriteSet } from '../writes/write-set.ts';
import { emittedIn, putEntry } from './outbox.repository.ts';

/** What a rule knows about its entry that neither its input and its answer nor its events say. */
interface Facts {
  readonly targets?: readonly AuditTarget[] | undefined;
  readonly changes?: readonly AuditChange[] | undefined;
}

const factsOf = new WeakMap<WriteSet, Facts>();

/** For an audited operation whose events do not say what it changes. The facts of several calls make one entry. */
export function audited(writes: WriteSet, { targets, changes }: Facts): void {
  const before = factsOf.get(writes);
  factsOf.set(writes, { targets: joined(before?.targets, targets), changes: joined(before?.changes, changes) });
}
const joined = <T>(some: readonly T[] | undefined, more: readonly T[] | undefined) =>
  some && more ? [...some, ...more] : (some ?? more);

/** What changed from one record to the next. */
export function auditChanges(before: object, after: object, fields: readonly string[]): AuditChange[] {
  const [from, to] = [before, after] as Readonly<Record<string, unknown>>[];
  return fields.flatMap((field) => {
    const [old, now] = [from?.[field] ?? null, to?.[field] ?? null];
    return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ field, old, new: now }];
  });
}

/**
 * Puts the entry of an audited operation into its write: stored with the change, or not at all. What changed is what the rule's events say about
 * their subject, unless the rule says it itself.
 * @param id of the entry. Default: a new one
 */
export function enterOperation(
  operation: Operation,
  { caller, requestId }: { readonly caller: Caller; readonly requestId: string },
  {
    input,
    answer,
    writes,
    id,
  }: { readonly input: unknown; readonly answer: unknown; readonly writes: WriteSet; readonly id?: string },
): void {
  const facts = factsOf.get(writes);
  if (!operation.audit || !caller || (operation.auditIf !== undefined && !facts)) return;
  const events = emittedIn(writes).filter(({ subject }) => subject.kind === operation.audit);
  const changes = facts?.changes ?? events.flatMap(({ data }) => changesOf(data));
  putEntry(writes, caller.organizationId, {
    ...draft(operation.name, actorOf(caller), changes),
    ...(id !== undefined && { id }),
    targets: [...(facts?.targets ?? [targetOf(operation.audit, caller.organizationId, input, answer)])],
    context: contextOf(caller, requestId),
  });
}

/** For a write that is not a caller's: a sign-in, or the making of an organization. */
export function enterOf(
  writes: WriteSet,
  organizationId: string,
  entry: Pick<AuditDraft, 'action' | 'actor' | 'targets' | 'context'> & Partial<AuditDraft>,
): void {
  putEntry(writes, organizationId, { ...draft(entry.action, entry.actor, []), ...entry });
}

function draft(action: string, actor: AuditActor, changes: readonly AuditChange[]) {
  return {
    id: uuidv7(),
    at: new Date().toISOString(),
    action,
    actor,
    outcome: 'allowed' as const,
    changes: changes.map(withoutProse),
  };
}

/** Whoever made the call, as the gateway says; without that (a call of a service), the key alone. */
export function actorOf({ userId, keyId, sender }: Caller): AuditActor {
  return { type: sender?.type ?? 'key', id: sender?.id ?? keyId, name: sender?.name ?? null, userId };
}

export function contextOf({ sender }: Pick<Caller, 'sender'>, requestId: string): AuditDraft['context'] {
  return { address: sender?.address ?? null, userAgent: sender?.userAgent ?? null, requestId };
}

/** By the id in the answer, or else the one in the input; what has none, such as the audit log, is the organization's. */
function targetOf(type: AuditTargetType, organizationId: string, input: unknown, answer: unknown): AuditTarget {
  const [given, got] = [input, answer].map((each) => (each ?? {}) as Readonly<Record<string, unknown>>);
  const id = [got?.id, given?.id, got?.userId].find((each) => typeof each === 'string');
  const name = [got?.name, given?.name].find((each) => typeof each === 'string');
  return { type, id: (id as string | undefined) ?? organizationId, name: (name as string | undefined) ?? null };
}

/** An event says `changes: { field: { from, to } }`, or what a new subject is like. */
function changesOf(data: Readonly<Record<string, unknown>>): AuditChange[] {
  const { changes, ...rest } = data;
  if (typeof changes === 'object' && changes !== null) {
    return Object.entries(changes).map(([field, change]) => {
      const { from = null, to = null } = (change ?? {}) as { readonly from?: unknown; readonly to?: unknown };
      return { field, old: from, new: to };
    });
  }
  return Object.entries(rest).map(([field, value]) => ({ field, old: null, new: value ?? null }));
}

/** Texts that people wrote about something are not part of who may do what. */
const PROSE: ReadonlySet<string> = new Set(['description', 'instructions', 'vision', 'templates']);

function withoutProse({ field, old, new: now }: AuditChange): AuditChange {
  return PROSE.has(field) ? { field, old: null, new: null } : { field, old: old ?? null, new: now ?? null };
}
