import './settings.css';
import { useCurrentInView } from '../parts/page/current-in-view.ts';
import { Heading } from '../parts/page/heading.tsx';
import { to } from '../router.ts';
import type { ScreenProps } from '../screen-props.ts';
import { words } from './messages.ts';
import { SECTIONS } from './sections.ts';

/** What the organization consists of, apart from its work: one section at a time. */
export function Screen({ params }: ScreenProps) {
  const offered = SECTIONS.filter(({ isOffered }) => isOffered());
  const shown = params.section === undefined ? offered[0] : offered.find(({ id }) => id === params.section);
  const nav = useCurrentInView(shown?.id);
  return (
    <div class="settings">
      <nav ref={nav} class="settings-nav" aria-label={words.sections}>
        <ul class="plain">
          {offered.map(({ id, name }) => (
            <li key={id}>
              <a href={to(`settings/${id}`)} aria-current={id === shown?.id ? 'page' : undefined}>
                {name()}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {shown ? (
        <shown.Section key={shown.id} />
      ) : (
        <div class="state">
          <Heading title={words.nothingHere} />
        </div>
      )}
    </div>
  );
}
