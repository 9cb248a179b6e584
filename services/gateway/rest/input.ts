import type { ErrorDetail } from '@worktrack/contracts/errors';
import type { Operation } from '@worktrack/contracts/operation';
import { valuesIn } from '@worktrack/contracts/query-values';
import { echoed, faultsOf, invalid, MAX_DETAILS, unknownField } from '@worktrack/runtime/validation/parse';
import { givenTooOften } from '../http/query.ts';
import { fieldsOf, inputSchema, type JsonSchema, typesOf } from '../schema.ts';
import { parseIfMatch } from './if-match.ts';
import { type Route, routeOf } from './route.ts';

/** The parts of a request that contain fields of the operation's input. */
export interface RequestParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly ifMatch: string | undefined;
}

type FromText = (text: string) => unknown;

/**
 * Prepares merging path, query, body and `If-Match` into an operation's single input.
 * Everything that depends only on the contract is computed here, once, at startup.
 * The merged input is not validated yet: that is the schema's job. But a refusal includes what the schema finds, so that a client
 * learns everything at once.
 */
export function inputReader(operation: Operation): (parts: RequestParts) => Record<string, unknown> {
  const route = routeOf(operation) as Route;
  const schema = inputSchema(operation.input);
  const known = fieldsOf(schema).filter((field) => !route.placeholders.includes(field));
  const fromQuery = new Map(known.map((field) => [field, queryReader(schema.properties?.[field] ?? {})]));
  const ofType = (type: string) => known.filter((field) => typesOf(schema.properties?.[field] ?? {}).has(type));
  const [nullable, lists] = [ofType('null'), ofType('array')];
  const takesVersion = route.method !== 'GET' && known.includes('version');

  return ({ params, query, body, ifMatch }) => {
    // Without a prototype: `__proto__` in a query string is a field like any other, and rejected as unknown.
    const input: Record<string, unknown> = Object.create(null);
    const faults: ErrorDetail[] = [];

    const isEnough = () => faults.length > MAX_DETAILS;

    for (const [field, value] of Object.entries((query ?? {}) as Record<string, string | string[]>)) {
      if (isEnough()) break;
      const read = route.fieldsIn === 'query' ? fromQuery.get(field) : undefined;
      if (read && Array.isArray(value) && !lists.includes(field)) {
        faults.push({ path: field, message: givenTooOften(value) });
      } else if (read) input[field] = read(value);
      else if (route.fieldsIn === 'body' && fromQuery.has(field)) {
        faults.push({ path: field, message: 'belongs in the JSON body, not in the query' });
      } else faults.push(misplaced(field, route, known));
    }

    if (body !== undefined && body !== null) {
      if (typeof body !== 'object' || Array.isArray(body))
        throw invalid([{ path: '', message: 'the body must be a JSON object' }]);
      for (const field of Object.keys(body)) {
        if (isEnough()) break;
        const value = (body as Readonly<Record<string, unknown>>)[field];
        if (route.fieldsIn === 'query' && fromQuery.has(field)) {
          faults.push({ path: field, message: 'belongs in the query, not in a body' });
        } else if (route.fieldsIn === 'body' && fromQuery.has(field)) input[field] = value;
        else faults.push(misplaced(field, route, known));
      }
    }

    // Never overwrites an existing value.
    if (body === null && route.method === 'PUT') for (const field of nullable) input[field] = null;

    for (const [field, value] of Object.entries((params ?? {}) as Record<string, string>)) input[field] = value;

    if (ifMatch !== undefined && route.method !== 'GET') {
      const condition = parseIfMatch(ifMatch);
      if (!takesVersion) faults.push({ path: 'If-Match', message: 'is not supported on this route; leave it out' });
      else if (condition === undefined) {
        faults.push({ path: 'If-Match', message: 'must be one version number, such as "3"' });
      } else if (condition !== 'any') {
        if (input.version !== undefined && input.version !== condition) {
          faults.push({ path: 'If-Match', message: 'gives a different version from the field version' });
        }
        input.version = condition;
      }
    }

    if (faults.length > 0) {
      const reported = new Set(faults.map(({ path }) => path));
      // If the input was not read to the end, the schema would report later fields as missing.
      const others = isEnough() ? [] : faultsOf(operation.input, input).filter(({ path }) => !reported.has(path));
      throw invalid([...others, ...faults]);
    }
    return input;
  };
}

function misplaced(field: string, route: Route, known: readonly string[]): ErrorDetail {
  const message = route.placeholders.includes(field)
    ? 'is given by the path; leave it out'
    : unknownField(echoed(field), known);
  return { path: echoed(field), message };
}

/** Converts query text to the type that the schema expects. Whatever does not convert is left for the schema to reject. */
function queryReader(schema: JsonSchema): (value: string | string[]) => unknown {
  const types = typesOf(schema);
  if (types.has('array')) {
    const read = scalarReader(typesOf(schema.items ?? {}));
    // Repeated or with commas.
    return (value) =>
      [value]
        .flat()
        .flatMap((each) => valuesIn(each))
        .map(read);
  }
  const read = scalarReader(types);
  return (value) => read(String(value));
}

const DECIMAL = /^-?\d+(\.\d+)?$/;

function scalarReader(types: ReadonlySet<string>): FromText {
  const numeric = types.has('number') || types.has('integer');
  const boolean = types.has('boolean');
  const nullable = types.has('null');
  return (text) => {
    if (numeric && DECIMAL.test(text)) return Number(text);
    if (boolean && (text === 'true' || text === 'false')) return text === 'true';
    if (nullable && text === 'null') return null;
    return text;
  };
}
