import { Button } from '../button.tsx';
import { words } from '../messages.ts';

export interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** How far from the end j and k go without meeting it: by then there is usually more. */
const AHEAD = 10;

/** Reads on when one has come near the end. Asked for again, an answer that is on its way would be given up, as it was while a key was held. */
export function readOn(of: Paged, isAt: number, length: number): void {
  if (isAt + AHEAD >= length && of.hasNextPage && !of.isFetchingNextPage) void of.fetchNextPage();
}

/** At the end of a list that is read page by page. */
export function More({ of }: { readonly of: Paged }) {
  if (!of.hasNextPage) return null;
  return <Button text={words.more} aria-disabled={of.isFetchingNextPage} onClick={() => readOn(of, 0, 0)} />;
}
