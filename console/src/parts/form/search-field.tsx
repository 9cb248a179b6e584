import { useEffect, useRef, useState } from 'preact/hooks';
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
  // Not what was put there from here: what is typed goes on meanwhile, also after a space.
  const own = useRef(inAddress);
  useEffect(() => {
    if (own.current !== inAddress) setText(inAddress);
    own.current = inAddress;
  }, [inAddress]);
  useEffect(() => {
    const q = text.trim();
    if (q === inAddress) return;
    const timer = setTimeout(() => {
      own.current = q;
      setFilters({ q: q || undefined, ...(clears && { [clears]: undefined }) });
    }, TYPING_MS);
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
