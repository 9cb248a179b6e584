import type { Operation, Output, RawInput } from '@worktrack/contracts/operation';
import { requireChange } from '../failure.ts';
import { fieldsFrom } from '../flags.ts';
import type { OutputOptions } from '../output.ts';
import { api, type CallOptions } from '../service/api.ts';

export interface Options extends OutputOptions, Record<string, unknown> {
  readonly idempotencyKey?: string;
  readonly field?: string;
  readonly placed?: CallOptions['placed'];
}

/**
 * Calls an operation with its fields among the options, and those that were named otherwise.
 * @param changing the command, if it is to change something: without such an option it is refused
 */
export async function send<Op extends Operation>(
  operation: Op,
  named: object,
  options: Options,
  changing?: string,
): Promise<Output<Op>> {
  const fields = await fieldsFrom(operation, options);
  if (changing !== undefined) requireChange(fields, changing);
  const input = { ...fields, ...named } as RawInput<Op>;
  return api().call(operation, input, {
    ...options,
    placed: { ...('name' in named && { name: '<name>' }), ...options.placed },
  });
}
