import { ItemRef } from '@worktrack/contracts/fields';

/**
 * The dependencies of an item as references: UUIDs and task IDs in the form in which they are stored; anything else as it was written, for it
 * names nothing, and whoever plans has to say so. Metadata is free-form: what is no list is no list of dependencies.
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
