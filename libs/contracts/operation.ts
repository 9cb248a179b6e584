import type { z } from 'zod';
import type { ErrorCode, ImplicitError } from './errors.ts';
import type { Permission, Role } from './permissions.ts';

/** What a call does to the data. Everything but `read` is run at most once per idempotency key; `create` answers 201 over REST. */
export type Effect = 'read' | 'create' | 'update' | 'delete';

/**
 * All permissions that a caller needs, of a composition those of its steps too; none: any valid key will do.
 * `internal`: called by our own services only, without a caller, never a route or a tool.
 */
export type Access = readonly Permission[] | 'internal';

/** The placeholders of the path are fields of the input: `POST /api/work-items/:workItemId/move`. */
export type RestRoute = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /api/${string}`;

export interface McpTool {
  readonly tool: string;
  readonly title: string;
  /** For the model: what `summary` leaves open. Short: the whole catalogue has 24 kB. */
  readonly description?: string;
  /** Input fields that only REST takes. */
  readonly omit?: readonly string[];
  /** The tool reaches beyond this service (a language model, a file system). */
  readonly openWorld?: boolean;
  /** The tool takes something away, though its operation deletes nothing here. */
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
  /** Only users of these roles, whatever their keys permit. Default: any. */
  readonly roles?: readonly Role[];
  readonly effect: Does;
  readonly input: In;
  readonly output: Out;
  /** Beyond those that any operation may answer (IMPLICIT_ERRORS). */
  readonly errors: readonly Code[];
  /** For the documentation: what a client gives, and what it gets. Every operation that is a route or a tool has one. */
  readonly example?: { readonly input: z.input<In>; readonly output: z.output<Out> };
  readonly rest?: RestRoute;
  readonly mcp?: McpTool;
  /** How long the caller waits. Default: DEFAULT_DEADLINE_MS. */
  readonly deadlineMs?: number;
  /** `long` operations have a queue of their own, so that they never hold up the others. */
  readonly lane?: 'long';
  /** A call that carries a stream of raw bytes beside its input (`up`) or its output (`down`), as an attachment does. */
  readonly bytes?: Bytes;
}

export type ByteStream = 'up' | 'down';

export const DEFAULT_DEADLINE_MS = 10_000;

/** Declares an operation. From this one value follow client, handler type, route, tool, OpenAPI entry, permission check and idempotency. */
export function operation<
  const Name extends string,
  In extends z.ZodType,
  Out extends z.ZodType,
  const Does extends Effect,
  const Code extends ErrorCode = never,
  const Bytes extends ByteStream | undefined = undefined,
>(
  definition: Operation<Name, In, Out, Code, Does, Bytes>,
  // Not from where the operation is used: a contract takes any, and Bytes would become any of them.
): Operation<Name, In, Out, Code, Does, NoInfer<Bytes>> {
  return definition;
}

/** The input as a handler gets it: parsed, defaults filled in. */
export type Input<Op extends Operation> = z.output<Op['input']>;
/** The input as a client gives it: fields with a default may be left out. */
export type RawInput<Op extends Operation> = z.input<Op['input']>;
export type Output<Op extends Operation> = z.output<Op['output']>;
/** The codes that a handler of the operation may fail with. */
export type FailureOf<Op extends Operation> = Op['errors'][number] | ImplicitError;

type ByName<Ops extends readonly Operation[]> = { readonly [Op in Ops[number] as Op['name']]: Op };

/** All operations that one service implements. The name is also that of its queue: `rpc.<name>`. */
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
