import type { ErrorDetail, Reason } from '@worktrack/contracts/errors';
import { spelledOut } from '@worktrack/runtime/validation/parse';

/** Exit codes, documented in docs/cli.md. */
export const EXIT = { refused: 1, usage: 2, unreachable: 3, nothing: 4 } as const;

/** Ends the command with one line on standard error that says what to do. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(kind: keyof typeof EXIT, message: string) {
    super(message);
    this.exitCode = EXIT[kind];
  }
}

/** Why there is no answer, from what `fetch` threw. */
export function whyOf(thrown: unknown): string {
  const { cause, message } = thrown as Error;
  return ((cause as Error | undefined)?.message || message || 'no connection').trim();
}

/** @param command whose options change something */
export function requireChange(changes: object, command: string): void {
  if (Object.values(changes).some((value) => value !== undefined)) return;
  throw new Failure('usage', `Say what to change; \`worktrack ${command} --help\` lists it.`);
}

/** Of an answer that has not worktrack's form. */
export const notAsWorktrack = (baseUrl: string, status: number) =>
  `${baseUrl} answers, but not as worktrack does (HTTP ${status}). Check WORKTRACK_URL: it ends before /api or /mcp.`;

/** A gateway says it of an address below it: every route that is asked for here exists. */
export const NO_ROUTE: Reason = 'no_route';

/** Options that are not called as their fields are: of what is given several times, and of times with a unit. */
const OPTIONS: Readonly<Record<string, string>> = {
  allowedDomains: '--domain',
  claims: '--claim',
  keyRateLimit: '--rate-limit',
  overlapSeconds: '--overlap',
  permissions: '--permission',
  projects: '--project',
  ttlSeconds: '--ttl',
  userId: '--user',
};

/** What a refusal calls a field, as the command line calls it: an option, or the argument that comes without one; and a route, the command. */
export function inFlags(text: string, fields: readonly string[], placed: Readonly<Record<string, string>>): string {
  const inFlag = (_: string, field: string, inside = '') =>
    (placed[field] ?? OPTIONS[field] ?? `--${kebab(field)}`) + within(inside);
  const named = fields.length === 0 ? text : text.replaceAll(anyOf(fields), inFlag);
  return named.replaceAll(ROUTE, (route) => COMMANDS[route] ?? route);
}

/** The names of fields, with what is in them: found together, since what is in one may be called as another one is. */
function anyOf(fields: readonly string[]): RegExp {
  // A name of one word may be a word of the sentence, unless it is followed by what only a field has. After `?`, it is part of an address.
  const names = fields.map((field) => (/[A-Z]/.test(field) ? `${field}\\b` : `${field}(?=:|\\.\\w)`));
  return new RegExp(`(?<![\\w?-])(${names.join('|')})(?:: true\\b|((?:\\.\\w+)*))`, 'g');
}

/** An option has no parts: of a list, the value is counted; of JSON, the part is named. */
function within(path: string): string {
  if (path === '') return '';
  const [, index] = /^\.(\d+)$/.exec(path) ?? [];
  return ` (${index === undefined ? path.slice(1) : `value ${Number(index) + 1}`})`;
}

const ROUTE = /\b(?:GET|POST) \/api\/[\w/:-]*\w/g;
const COMMANDS: Readonly<Record<string, string>> = {
  'GET /api/projects': '`worktrack project list`',
  'GET /api/work-items': '`worktrack item list`',
  'GET /api/projects/:id/labels': '`worktrack label list`',
  'POST /api/projects/:id/labels': '`worktrack label create`',
  'GET /api/views': '`worktrack view list`',
  'GET /api/users': '`worktrack user list`',
  'GET /api/roles': '`worktrack role list`',
  'GET /api/api-keys': '`worktrack key list`',
  'GET /api/trust-rules': '`worktrack trust list`',
  'GET /api/trust-rules/:id/tries': '`worktrack trust tries <id>`',
  'GET /api/grants': '`worktrack grant list`',
  'GET /api/feedback/sources': '`worktrack source list`',
  'GET /api/webhooks': '`worktrack webhook list`',
};

export const kebab = (field: string) => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A refusal's message, and those of its details that the message does not already contain: it names only the first ones. */
export function refusalWords(message: string, details: readonly ErrorDetail[] = []): string {
  const isOnly = ({ message: said }: ErrorDetail) => details.filter((other) => other.message === said).length === 1;
  const isTold = (detail: ErrorDetail) =>
    ` ${message}`.includes(` ${spelledOut(detail)}`) || (isOnly(detail) && message.includes(detail.message));
  const untold = details.filter((detail) => !isTold(detail)).map(spelledOut);
  return [message, ...untold].map((words) => (/[.?]$/.test(words) ? words : `${words}.`)).join(' ');
}
