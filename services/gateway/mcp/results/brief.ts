import type { McpTool } from '@worktrack/contracts/operation';

type Fields = Readonly<Record<string, unknown>>;

/** A result without what its reader does not need (`brief` in the contract): of some of its fields, those named there, and what is null or empty. */
export function briefly(output: Fields, brief: McpTool['brief'] = {}): Record<string, unknown> {
  const shown = Object.entries(output).map(([field, value]) => {
    const without = brief[field];
    if (!without) return [field, value];
    return [field, Array.isArray(value) ? value.map((each) => shorter(each, without)) : shorter(value, without)];
  });
  return Object.fromEntries(shown);
}

function shorter(value: unknown, without: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([field, inner]) => !without.includes(field) && !isEmpty(inner)),
  );
}

const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
