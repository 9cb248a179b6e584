import { distance } from 'fastest-levenshtein';

export type Arguments = Readonly<Record<string, unknown>>;

interface Fault {
  readonly path: string;
  readonly message: string;
}

/**
 * A fixed program that mends a call from the error text alone: it looks for the argument and the allowed values that the text names. Like a model, it knows
 * what it wants to say, by the argument names in the tool list, but not what was made wrong.
 * @param known the intended values, by argument
 * @returns the next try; undefined: the text says nothing that it understands
 */
export function mended(given: Arguments, errorText: string, known: Arguments): Arguments | undefined {
  const faults = faultsIn(errorText, Object.keys({ ...given, ...known }));
  if (faults.length === 0) return undefined;
  return faults.reduce<Arguments>((args, fault) => mendedAt(args, fault, known), given);
}

/** Each argument that the error points at, with what is said of it; if it points at none, those whose names are in the message. */
function faultsIn(errorText: string, names: readonly string[]): Fault[] {
  const { message, details } = read(errorText);
  const pointed = details.map(({ path, message: said }) => ({ path, message: said ?? saidOf(path, message) }));
  if (pointed.length > 0) return pointed;
  return names.filter((name) => new RegExp(`\\b${name}\\b`).test(message)).map((path) => ({ path, message }));
}

function read(text: string): { message: string; details: readonly { path: string; message?: string }[] } {
  try {
    const { error } = JSON.parse(text) as {
      error: { message: string; details?: { path: string; message?: string }[] };
    };
    return { message: error.message, details: error.details ?? [] };
  } catch {
    return { message: text, details: [] };
  }
}

/** What stands after the name, up to the next argument's. */
function saidOf(path: string, message: string): string {
  const at = message.indexOf(path);
  return at < 0 ? message : (message.slice(at + path.length).split(/; (?=[\w.]+ )/)[0] ?? '');
}

function mendedAt(args: Arguments, { path, message }: Fault, known: Arguments): Arguments {
  const [name = ''] = path.split('.');
  const [, meant] = /did you mean "?([\w.]+)"?/i.exec(message) ?? [];
  if (meant !== undefined && meant in known && !(name in known)) {
    const { [name]: value, ...rest } = args;
    return { ...rest, [meant]: value };
  }
  if (!(name in known)) {
    const { [name]: _, ...rest } = args;
    return rest;
  }
  const value = args[name];
  const allowed = allowedBy(message);
  if (typeof value === 'string' && allowed.length > 0) {
    const nearest = allowed.toSorted((a, b) => distance(a, value) - distance(b, value))[0];
    return {
      ...args,
      [name]: known[name] !== undefined && allowed.includes(String(known[name])) ? known[name] : nearest,
    };
  }
  // It is required, of another kind, out of bounds, or names what is not there: what was meant is said.
  return name in known ? { ...args, [name]: known[name] } : args;
}

/** The values in a list such as `must be one of low, medium, high`. */
function allowedBy(message: string): string[] {
  const [, list] = /(?:one of|columns:|columns are)[: ]+([^.;]+)/i.exec(message) ?? [];
  return (
    list
      ?.split(/, | or /)
      .map((each) => each.replace(/^["“]|["”]$|\s*\(.*$/g, '').trim())
      .filter(Boolean) ?? []
  );
}
