import type { Operation } from '@worktrack/contracts/operation';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** With `:placeholders`, in Fastify's notation. */
  readonly path: string;
  readonly placeholders: readonly string[];
  /** Where fields that are not in the path come from. */
  readonly fieldsIn: 'query' | 'body';
}

/** Parses an operation's REST route; `undefined` if it has none. */
export function routeOf(operation: Operation): Route | undefined {
  if (!operation.rest) return undefined;
  const [method, path] = operation.rest.split(' ') as [Method, string];
  return {
    method,
    path,
    placeholders: [...path.matchAll(/:([A-Za-z]+)/g)].map((match) => match[1] as string),
    fieldsIn: method === 'GET' || method === 'DELETE' ? 'query' : 'body',
  };
}
