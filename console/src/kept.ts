const PREFIX = 'worktrack.';

/** A choice that this browser remembers, such as the theme; of the organization nothing but the id of the last project. `null`: none, or the browser stores nothing. */
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
