interface AvatarProps {
  readonly name: string;
  /** Agents are square: a person can be told from one at a glance. */
  readonly isAgent?: boolean;
  /** Without one, the name is in the text beside it. */
  readonly label?: string;
}

/** Hues that are told apart, in degrees; the style has their lightness in both themes. */
const HUES = [25, 65, 130, 165, 215, 255, 295, 345] as const;

/** Somebody, as initials in a colour that is always theirs. */
export function Avatar({ name, isAgent, label }: AvatarProps) {
  const hue = HUES[hashOf(name) % HUES.length];
  return (
    <span
      class={isAgent ? 'avatar avatar-agent' : 'avatar'}
      style={{ '--hue': String(hue) }}
      title={label ?? name}
      {...(label === undefined ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': label })}
      // Drawn by the style: they are no text that a name would have to repeat.
      data-initials={initialsOf(name)}
    />
  );
}

/** Of the first two words; of `nightly-3`, `N3`. */
function initialsOf(name: string): string {
  const words = name.split(/[\s\-_.@/]+/).filter(Boolean);
  const letters = words.slice(0, 2).map((word) => [...word][0] ?? '');
  return letters.join('').toLocaleUpperCase() || '?';
}

function hashOf(name: string): number {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash;
}
