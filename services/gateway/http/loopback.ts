const NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Whether the host of a URL is this machine itself, which browsers treat like HTTPS. */
export function isLoopbackName(hostname: string): boolean {
  return NAMES.has(hostname) || hostname.endsWith('.localhost');
}

/** Those that stand for all addresses of a machine. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * The address at which clients reach the listener, as far as it can know. If it listens on every address, as in a container, that is the machine itself. An app
 * that is told `0.0.0.0` finds that it came by another address, and does not sign in.
 */
export function urlOfListener(host: string, port: number): string {
  if (ANY_ADDRESS.has(host)) return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
