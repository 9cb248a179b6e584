import type { Settings } from './settings.ts';

/** Filled in by the build: each further file by its name, with the hash in its own name and the hash that pins it. */
declare const __FILES__: Readonly<Record<string, { readonly file: string; readonly integrity: string }>>;

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

export async function fetchFile(name: string, settings: Settings): Promise<Response> {
  const { url, integrity } = fileAddress(name, settings);
  const response = await fetch(url, { credentials: 'omit', integrity });
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}.`);
  return response;
}
