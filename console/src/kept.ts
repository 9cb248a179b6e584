const PREFIX = 'worktrack.';
/** The id of this browser among those in which its user is told by push, and where it is pushed to. */
export const BROWSER = 'browser';

/**
 * What this browser remembers: choices such as the theme, the id of the last project, which lanes of a board are closed, and drafts of their author's.
 * Nothing else of the organization.
 * `null`: nothing of this name, or the browser stores nothing.
 */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Then it lasts as long as the page.
  }
}

export function unkeep(name: string): void {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // It was not kept, then.
  }
}

/** Calls back when another tab no longer keeps it. @returns ends it */
export function whenUnkept(name: string, listener: () => void): () => void {
  const hear = ({ key, newValue }: StorageEvent) => newValue === null && key === PREFIX + name && listener();
  addEventListener('storage', hear);
  return () => removeEventListener('storage', hear);
}

/** The names that begin so. */
export function keptNames(start: string): string[] {
  try {
    const all = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX + start));
    return all.map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}
