import type { AuditActor, AuditContext } from './audit/entry.ts';
import type { Permission } from './permissions.ts';

/** Who makes a call: resolved once by the gateway from the API key, and carried with every RPC item. */
export interface Caller {
  readonly organizationId: string;
  readonly userId: string;
  readonly keyId: string;
  /** The effective permissions: the key's own ∩ its user's at this moment. */
  readonly permissions: readonly Permission[];
  /** The only projects that exist for the caller: its key's own ∩ its user's at this moment. Absent: all of the organization, later ones included. */
  readonly projects?: readonly string[];
  /** The users that the input names, as assignees or by `@name`; absent in calls whose input names nobody. */
  readonly people?: readonly NamedUser[];
  /** Who called from where: of an audited operation, for the audit log, and of one `withSender`. */
  readonly sender?: Sender;
  /** The project of the MCP session (`/mcp?projectId=`), the fallback of every optional `projectId`. */
  readonly sessionProjectId?: string;
}

/** A user that an input names. */
export interface NamedUser {
  readonly id: string;
  readonly name: string;
  /** As the input says it, `@` included. */
  readonly as: string;
}

/** What a request says about its sender. */
export interface Sender extends Pick<AuditContext, 'address' | 'userAgent'>, Pick<AuditActor, 'type' | 'id' | 'name'> {
  /** Of an operation `withSender`: the sender's network, hashed with a key, under which what it does without a key is kept. */
  readonly network?: string;
}
