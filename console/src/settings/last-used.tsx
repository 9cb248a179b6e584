import { When } from '../parts/when.tsx';
import { words } from './messages.ts';

/** Of a key, a connected app or a rule of trust. @param at null: never */
export function LastUsed({ at }: { readonly at: string | null }) {
  if (at === null) return words.neverUsed;
  return (
    <>
      {words.lastUsed} <When at={at} />
    </>
  );
}
