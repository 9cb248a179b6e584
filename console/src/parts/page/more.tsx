import { words } from '../messages.ts';

interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** At the end of a list that is read page by page. */
export function More({ of }: { readonly of: Paged }) {
  if (!of.hasNextPage) return null;
  return (
    <button type="button" class="button" aria-disabled={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
      {words.more}
    </button>
  );
}
