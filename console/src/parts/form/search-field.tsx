import { useEffect, useState } from 'preact/hooks';
import { filter, setFilters } from '../../router.ts';

/** After the last keystroke. */
const TYPING_MS = 250;

interface SearchFieldProps {
  readonly label: string;
  readonly id?: string;
  /** A filter that means nothing in other results. */
  readonly clears?: string;
}

/** The search text, as `q` in the address. */
export function SearchField({ label, id, clears }: SearchFieldProps) {
  const inAddress = filter('q') ?? '';
  const [text, setText] = useState(inAddress);
  useEffect(() => setText(inAddress), [inAddress]);
  useEffect(() => {
    if (text === inAddress) return;
    const search = { q: text.trim() || undefined, ...(clears && { [clears]: undefined }) };
    const timer = setTimeout(() => setFilters(search), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, inAddress, clears]);
  return (
    <input
      id={id}
      class="input input-inline"
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}
