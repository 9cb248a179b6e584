import type { z } from 'zod';
import type { AuditTargetType } from './audit/target.ts';
import type { ErrorCode, ImplicitError } from './errors.ts';
import type { Permission, Role } from './permissions.ts';

/** What a call does to the data. Everything but `read` runs at most once per idempotency key; `create` returns 201 over REST. */
export type Effect = 'read' | 'create' | 'update' | 'delete';

/**
 * All permissions that a caller needs, including those of a composition's steps; none: any valid key will do.
 * `internal`: called only by our own services, without a caller, never a route or a tool.
 */
export type Access = readonly Permission[] | 'internal';

/** Path placeholders are fields of the input: `POST /api/work-items/:workItemId/move`. */
export type RestRoute = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /api/${string}`;

export interface McpTool {
  readonly tool: string;
  readonly title: string;
  /** For the model: what `summary` leaves open. Keep it short: the whole catalogue has 24 kB. */
  readonly description?: string;
  /** Input fields that only REST accepts. */
  readonly omit?: readonly string[];
  /** What the tool calls a field, so that one thing has one name in all of them. The field's own name is taken, too, without being listed. */
  readonly names?: Readonly<Record<string, string>>;
  /** Fields that the tool takes without listing them: those of earlier versions, and those that few need and another tool lists. */
  readonly unlisted?: readonly string[];
  /** Fields that a tool requires, though there is another way over REST, such as for a person. */
  readonly required?: readonly string[];
  /** Lists whose entries are described in words, or by another tool: the catalogue has no room to spell them out. */
  readonly opaque?: readonly string[];
  /**
   * Fields of the output that a result shows briefly: without those named, which a model has from elsewhere or needs for nothing, and without what is null or empty. REST
   * shows all.
   */
  readonly brief?: Readonly<Record<string, readonly string[]>>;
  /** The field of the output that a tool shows as an image, `{ data: base64, mimeType }`, rather than as data. */
  readonly image?: string;
  /** The tool reaches beyond this service (a language model, a file system). */
  readonly openWorld?: boolean;
  /** The tool removes something elsewhere, though its operation deletes nothing here. */
  readonly destructive?: boolean;
}

export interface Operation<
  Name extends string = string,
  In extends z.ZodType = z.ZodType,
  Out extends z.ZodType = z.ZodType,
  Code extends ErrorCode = ErrorCode,
  Does extends Effect = Effect,
  Bytes extends ByteStream | undefined = ByteStream | undefined,
> {
  /** `<service>.<verb>`, for example `workItems.move`. */
  readonly name: Name;
  readonly summary: string;
  readonly permissions: Access;
  /** Only users with these roles, whatever their keys permit. Default: any. */
  readonly roles?: readonly Role[];
  /** A field that only users with these roles may set to true. */
  readonly rolesFor?: Readonly<Record<string, readonly Role[]>>;
  /** About what belongs to no project, so a caller that is limited to projects is refused. */
  readonly ofOrganization?: true;
  /** What its entry in the audit log is about. An operation that changes access does not compile without it. */
  readonly audit?: AuditTargetType;
  /** Only calls in which this field is true have an entry, and only if the rule notes one (libs/runtime/database/outbox/audited.ts). */
  readonly auditIf?: string;
  /** About the caller's own user, or key: what another one asks for under the same idempotency key is another request. */
  readonly own?: 'user' | 'key';
  /** Told who calls from where, as every audited operation is. */
  readonly withSender?: true;
  readonly effect: Does;
  readonly input: In;
  readonly output: Out;
  /** In addition to those that any operation may return (IMPLICIT_ERRORS). */
  readonly errors: readonly Code[];
  /** A request and its answer, for the documentation. Every operation that is a route or a tool has one. */
  readonly example?: { readonly input: z.input<In>; readonly output: z.output<Out> };
  readonly rest?: RestRoute;
  readonly mcp?: McpTool;
  /** How long the caller waits. Default: DEFAULT_DEADLINE_MS. */
  readonly deadlineMs?: number;
  /** `long` operations have their own queue, so that they never delay the others. */
  readonly lane?: 'long';
  /**
   * The input field that says how many seconds a call may wait until there is something to do. Above zero, the call uses its own lane,
   * `waiting`, and `deadlineMs` is added on top.
   */
  readonly waitField?: string;
  /** A call that carries a stream of raw bytes along with its input (`up`) or output (`down`), such as an attachment. */
  readonly bytes?: Bytes;
}

export type ByteStream = 'up' | 'down';

export const DEFAULT_DEADLINE_MS = 10_000;

/** How long a call may wait according to its input, which may be unchecked. */
export function waitMsOf({ waitField }: Pick<Operation, 'waitField'>, input: unknown): number {
  if (waitField === undefined) return 0;
  const seconds = (input as Readonly<Record<string, unknown>> | null)?.[waitField];
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : 0;
}

/** By name, since permissions are not enough: anybody may make a login code, or rotate their own key. */
type ChangesAccess<Name extends string, Does extends Effect> = Does extends 'read'
  ? false
  : Name extends `${'users' | 'roles' | 'keys' | 'sessions' | 'trustRules' | 'grants' | 'sources' | 'webhooks' | 'projects' | 'boards'}.${string}`
    ? true
    : false;

/** Services call these, or they are entered by hand: a sign-in has no caller yet. */
type Audited<Name extends string, Does extends Effect, Can extends Access> =
  ChangesAccess<Name, Does> extends true
    ? Can extends 'internal'
      ? unknown
      : { readonly audit: AuditTargetType }
    : unknown;

/** Declares an operation. Client, handler type, route, tool, OpenAPI entry, permission check and idempotency are derived from this one value. */
export function operation<
  const Name extends string,
  In extends z.ZodType,
  Out extends z.ZodType,
  const Does extends Effect,
  const Code extends ErrorCode = never,
  const Bytes extends ByteStream | undefined = undefined,
  const Can extends Access = Access,
>(
  definition: Operation<Name, In, Out, Code, Does, Bytes> & { readonly permissions: Can } & Audited<Name, Does, Can>,
  // Not inferred from where the operation is used: a contract accepts any, and Bytes would be inferred as any of them.
): Operation<Name, In, Out, Code, Does, NoInfer<Bytes>> {
  return definition;
}

/** The input as a handler gets it: parsed, defaults filled in. */
export type Input<Op extends Operation> = z.output<Op['input']>;
/** The input as a client sends it: fields with a default may be left out. */
export type RawInput<Op extends Operation> = z.input<Op['input']>;
export type Output<Op extends Operation> = z.output<Op['output']>;
/** The codes that a handler of the operation may fail with. */
export type FailureOf<Op extends Operation> = Op['errors'][number] | ImplicitError;

type ByName<Ops extends readonly Operation[]> = { readonly [Op in Ops[number] as Op['name']]: Op };

/** All operations that one service implements. Its name is also its queue's: `rpc.<name>`. */
export interface ServiceContract<
  Name extends string = string,
  Ops extends Readonly<Record<string, Operation>> = Readonly<Record<string, Operation>>,
> {
  readonly name: Name;
  readonly operations: Ops;
}

export function serviceContract<const Name extends string, const Ops extends readonly Operation[]>(
  name: Name,
  operations: Ops,
): ServiceContract<Name, ByName<Ops>> {
  const byName: Record<string, Operation> = {};
  for (const op of operations) {
    if (byName[op.name]) throw new Error(`Operation ${op.name} is declared twice in the contract of ${name}.`);
    byName[op.name] = op;
  }
  return { name, operations: byName as ByName<Ops> };
}
