/** Beyond these, a text mentions nobody. */
export const MAX_MENTIONS = 20;

/** What a code block or code span contains is quoted, and mentions nobody. */
const CODE = /^(```|~~~)[\s\S]*?(?:^\1|$(?![\s\S]))|(`+)[^`][\s\S]*?\2/gm;
/** Not in an address: `ada@example.com`. An underscore before it is emphasis, unless it ends a word. */
export const MENTION =
  /(?<![\p{L}\p{N}.%+\-@/]_*)@(?<handle>[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}._'’-]{0,98}[\p{L}\p{N}\p{M}])?)/gu;

/**
 * A name as a mention writes it: without spaces, in any case. I, İ, ı and i are one letter, since which of them is in which case depends on the language, and
 * so are the two apostrophes, since which of them is written depends on the keyboard.
 */
export function handleOf(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/i\u0307|ı/g, 'i')
    .replace(/’/g, "'")
    .replace(/\s+/g, '');
}

/** The handles that a text mentions, as `handleOf` makes them, each once. */
export function mentionedIn(text: string): string[] {
  if (!text.includes('@')) return [];
  const prose = text.replace(CODE, ' ');
  const handles = [...prose.matchAll(MENTION)].map(({ groups }) => handleOf(groups?.handle ?? ''));
  return [...new Set(handles)].slice(0, MAX_MENTIONS);
}

/** What a handle in a text may mean, the likelier first: as written, and what precedes the ending of `@Ada's` or `@Ada'nın`. */
export function readingsOf(handle: string): string[] {
  const end = handle.lastIndexOf("'");
  return end < 0 ? [handle] : [handle, handle.slice(0, end)];
}
