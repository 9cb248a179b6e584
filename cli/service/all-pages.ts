/** The pages of a list, from its first to its last. @param load the first one without a cursor */
export async function allPages<Page extends { readonly nextCursor: string | null }>(
  load: (cursor: string | undefined) => Promise<Page>,
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await load(cursor);
    pages.push(page);
    if (page.nextCursor === null) return pages;
    cursor = page.nextCursor;
  }
}
