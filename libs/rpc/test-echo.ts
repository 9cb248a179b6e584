import { operation, serviceContract } from '@worktrack/contracts/operation';
import { z } from 'zod';

/** The smallest operation: it answers what it was asked. */
export function echoOperation<const Service extends string>(service: Service) {
  return operation({
    name: `${service}.echo` as `${Service}.echo`,
    summary: 'Answers.',
    permissions: 'internal',
    effect: 'read',
    input: z.strictObject({ text: z.string() }),
    output: z.object({ text: z.string() }),
    errors: [],
  });
}

/** A service of its own for each file of tests, for its queues carry its name. */
export function echoContract<const Service extends string>(service: Service) {
  return serviceContract(service, [echoOperation(service)]);
}

/** A handler that does this before it answers. */
export function echoAfter(work: (text: string) => Promise<unknown>) {
  return {
    one: async ({ text }: { text: string }) => {
      await work(text);
      return { output: { text }, replayed: false };
    },
  };
}
