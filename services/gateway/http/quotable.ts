/** For a quoted string of a header: in ASCII, without what would end it. */
export function quotable(text: string): string {
  return text.replaceAll('"', "'").replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
}
