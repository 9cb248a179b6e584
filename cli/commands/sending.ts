import type { Operation, Output, RawInput } from '@worktrack/contracts/operation';
import { fieldsFrom } from '../flags.ts';
import type { OutputOptions } from '../output.ts';
import { api, type CallOptions } from '../service/api.ts';

export interface Options extends OutputOptions, Record<string, unknown> {
  readonly idempotencyKey?: string;
  readonly field?: string;
  readonly placed?: CallOptions['placed'];
}

/** Calls an operation with its fields among the options, and those that were named otherwise. */
export async function send<Op extends Operation>(operation: Op, named: object, options: Options): Promise<Output<Op>> {
  const input = { ...(await fieldsFrom(operation, options)), ...named } as RawInput<Op>;
  return api().call(operation, input, {
    ...options,
    placed: { ...('name' in named && { name: '<name>' }), ...options.placed },
  });
}
