import type { AllowedOrigin } from '@worktrack/contracts/feedback/allowed-domains';
import type { AdmittedSource } from '@worktrack/contracts/feedback/intake';
import { LRUCache } from 'lru-cache';
import { parseAllowedDomains } from './origin.ts';

/** A source as the gateway uses it. */
export interface KnownSource extends AdmittedSource {
  readonly allowedOrigins: readonly AllowedOrigin[];
}

/** In the cache: there is no source for that public key. */
export const NO_SOURCE = '-';

/** Enough for all sources that are busy at one time; a large source takes a few kilobytes. */
const MAX_PARSED = 1_000;

/** What the cache holds for a source: its own limits first, where the script in admission.script.ts expects them. */
export function entryOf(source: AdmittedSource | null): string {
  if (!source) return NO_SOURCE;
  const { rateLimit } = source;
  const limits = rateLimit ? `${rateLimit.perIp}:${rateLimit.perSource}:${rateLimit.windowSeconds * 1000}` : '';
  return `${limits}|${JSON.stringify(source)}`;
}

/** Parses entries. Every request of a busy source has the same entry, so the most recent ones are kept parsed. */
export class SourceEntries {
  readonly #parsed = new LRUCache<string, KnownSource>({ max: MAX_PARSED });

  read(entry: string): KnownSource | null {
    if (entry === NO_SOURCE) return null;
    const remembered = this.#parsed.get(entry);
    if (remembered) return remembered;
    const source = JSON.parse(entry.slice(entry.indexOf('|') + 1)) as AdmittedSource;
    const parsed = { ...source, allowedOrigins: parseAllowedDomains(source.allowedDomains) };
    this.#parsed.set(entry, parsed);
    return parsed;
  }
}
