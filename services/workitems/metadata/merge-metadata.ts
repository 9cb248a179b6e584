import type { Metadata } from '@worktrack/contracts/metadata';

/**
 * JSON Merge Patch (RFC 7396): objects are merged key by key at any depth, `null` removes a key, anything else replaces what was there.
 * Neither argument is changed.
 */
export function mergeMetadata(current: Metadata, patch: Metadata): Metadata {
  const merged = new Map(Object.entries(current));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else if (isObject(value)) {
      const before = merged.get(key);
      merged.set(key, mergeMetadata(isObject(before) ? before : {}, value));
    } else merged.set(key, value);
  }
  // Defines own properties, whatever they are named; an assignment to `__proto__` would not.
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
