import type { Settings } from './settings.ts';

/** Filled in by the build: each further file by its name, with the hash in its own name and the hash that pins it. */
declare const __FILES__: Readonly<Record<string, { readonly file: string; readonly integrity: string }>>;

/** A connection that broke unnoticed answers only after minutes; the largest file is 8 kB. */
const FILE_TIMEOUT_MS = 10_000;

export interface FileAddress {
  readonly url: string;
  /** For `fetch` and script elements; empty if nothing is pinned. */
  readonly integrity: string;
}

/**
 * Where a further file of the widget is. A script tag that pins the widget also pins what it loads, by the hashes it was built with. One that does not
 * follows the server's version, and so do the further files: a widget cached before an upgrade finds those from after it.
 */
export function fileAddress(name: string, settings: Settings): FileAddress {
  const pinned = settings.pinned ? __FILES__[name] : undefined;
  return pinned
    ? { url: settings.baseUrl + pinned.file, integrity: pinned.integrity }
    : { url: settings.baseUrl + name, integrity: '' };
}

/** Rejects with a TimeoutError if it does not arrive. */
export async function fetchFile(name: string, settings: Settings): Promise<Response> {
  const { url, integrity } = fileAddress(name, settings);
  const response = await fetch(url, { credentials: 'omit', integrity, signal: AbortSignal.timeout(FILE_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}.`);
  return response;
}

export function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}
