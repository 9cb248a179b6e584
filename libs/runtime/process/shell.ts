/** A word quoted for a POSIX shell, whatever it contains. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
