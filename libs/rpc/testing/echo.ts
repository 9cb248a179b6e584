import { operation, serviceContract } from '@worktrack/contracts/operation';
import { z } from 'zod';

/** The smallest operation: it returns its input. */
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

/** A separate service for each test file, because its queues carry its name. */
export function echoContract<const Service extends string>(service: Service) {
  return serviceContract(service, [echoOperation(service)]);
}

/** A handler that does this before it returns. */
export function echoAfter(work: (text: string) => Promise<unknown>) {
  return {
    one: async ({ text }: { text: string }) => {
      await work(text);
      return { output: { text }, replayed: false };
    },
  };
}
