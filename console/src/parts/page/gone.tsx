import { filter, path, to } from '../../router.ts';
import { words } from './gone-messages.ts';
import { Empty } from './states.tsx';

interface GoneProps {
  /** What the address names: its filter. */
  readonly what: 'board' | 'project';
  /** What there is instead. */
  readonly others: readonly { readonly id: string; readonly name: string }[];
}

/** Whoever follows an old link is told, and not shown other work as if it were what the link meant. */
export function Gone({ what, others }: GoneProps) {
  const [text, name] = what === 'board' ? [words.noBoard, words.boards] : [words.noProject, words.projects];
  return (
    <Empty>
      <p role="alert">{text}</p>
      <nav class="stack" aria-label={name}>
        {others.map((other) => (
          <a key={other.id} href={to(path.value, { part: filter('part'), [what]: other.id })}>
            <bdi>{other.name}</bdi>
          </a>
        ))}
      </nav>
    </Empty>
  );
}
