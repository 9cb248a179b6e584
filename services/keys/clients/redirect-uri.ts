const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What browsers do something else with than to start a program that has registered for it. */
const NEVER: ReadonlySet<string> = new Set([
  ...['about', 'blob', 'chrome', 'content', 'data', 'feed', 'file', 'filesystem', 'ftp', 'intent', 'jar', 'javascript'],
  ...['mailto', 'resource', 'sms', 'tel', 'urn', 'vbscript', 'view-source', 'ws', 'wss', 'worktrack'],
  // Their programs connect to whatever server is named, some of them with the person's own credentials, also after a refusal.
  ...['afp', 'cifs', 'ftps', 'ldap', 'ldaps', 'ms-msdt', 'nfs', 'rdp'],
  ...['search-ms', 'sftp', 'smb', 'ssh', 'telnet', 'vnc'],
]);
/** A scheme of one's own (RFC 8252, 7.1), with something behind it: `cursor://anysphere.cursor-mcp/oauth/callback`. */
const OF_A_PROGRAM = /^([a-z][a-z0-9+.-]+):\/{1,2}[^/]/;
/** No backslash: to a browser it is a slash, and to others part of the host or the user. */
const PRINTABLE = /^[!-[\]-~]+$/;
/** To a browser that is at an https page, `https:app.example` leads to a path beside that page, and not to where `placeOf` says. */
const WITH_HOST = /^https?:\/\/[^/?]/i;
const MAX_LENGTH = 2_000;

/** Whether a code may be sent there: to a site over TLS, or to a program on the person's computer (RFC 8252, 7). */
export function isRedirectUri(text: string): boolean {
  if (text.length > MAX_LENGTH || !PRINTABLE.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (text.includes('#') || username !== '' || password !== '') return false;
  if ((protocol === 'https:' || protocol === 'http:') && !WITH_HOST.test(text)) return false;
  if (protocol === 'https:') return true;
  if (protocol === 'http:') return LOOPBACK.has(hostname);
  const scheme = OF_A_PROGRAM.exec(text)?.[1];
  return scheme !== undefined && !NEVER.has(scheme);
}

/**
 * Exactly one of the client's, but for the port of the person's own computer, which a program can only choose when it begins to listen (RFC 8252, 7.3).
 * @param wanted any text
 */
export function isAmong(redirectUris: readonly string[], wanted: string): boolean {
  return redirectUris.includes(wanted) || redirectUris.map(withoutPort).includes(withoutPort(wanted) ?? NOWHERE);
}

const NOWHERE = '';

/** @returns undefined for anything but a program that listens on the person's own computer */
function withoutPort(text: string): string | undefined {
  // By the text rather than the parsed URL: what is sent must be what was registered, letter by letter.
  const [, host = '', rest = ''] = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(\/.*)?$/.exec(text) ?? [];
  if (host === '' || !isRedirectUri(text)) return undefined;
  return `${host}${rest}`;
}

/** As it is shown to the person who decides. */
export function placeOf(redirectUri: string): { readonly kind: 'site' | 'loopback' | 'scheme'; readonly name: string } {
  const { protocol, hostname, host } = new URL(redirectUri);
  if (protocol === 'https:') return { kind: LOOPBACK.has(hostname) ? 'loopback' : 'site', name: host };
  if (protocol === 'http:') return { kind: 'loopback', name: host };
  return { kind: 'scheme', name: protocol.slice(0, -1) };
}

/** With parameters added to those that it has. */
export function withParameters(redirectUri: string, parameters: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  // The rest stays as it was registered: a URL would write some of it in another way.
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
}
