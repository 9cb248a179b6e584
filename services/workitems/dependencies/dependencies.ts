import { ItemRef } from '@worktrack/contracts/fields';

/**
 * The dependencies of an item as references: UUIDs and task IDs in their stored form; anything else as written, because it
 * matches nothing, and plans must say so. Metadata is free-form: anything but a list means no dependencies.
 */
export function dependenciesOf(metadata: { readonly dependsOn?: unknown } | undefined): string[] {
  const written = metadata?.dependsOn;
  const list = Array.isArray(written) ? written : typeof written === 'string' ? [written] : [];
  const references = list.map((entry) => {
    const text = typeof entry === 'string' ? entry.trim() : JSON.stringify(entry);
    return ItemRef.safeParse(text).data ?? text;
  });
  return [...new Set(references)];
}
