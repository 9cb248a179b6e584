const NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Whether the host of a URL is this machine itself, which browsers treat like HTTPS. */
export function isLoopbackName(hostname: string): boolean {
  return NAMES.has(hostname) || hostname.endsWith('.localhost');
}
