import { Icon } from '../parts/icon.tsx';
import { moreIcon } from '../parts/icons.ts';
import { Menu } from '../parts/popup/menu.tsx';
import { filter, go, path, to } from '../router.ts';
import { isOffered, SCREENS, type ScreenEntry } from '../screens.ts';
import { addressOf, iconOf, savedViews } from '../views/saved/saved.ts';
import { words } from './messages.ts';

/** On a phone: as many as thumbs hit reliably. The rest are in a menu. */
const MAX_BELOW = 4;

type Named = ScreenEntry & Required<Pick<ScreenEntry, 'name' | 'icon'>>;

/** Where one can go: at the side, or on a phone at the bottom, where the thumb is. */
export function Navigation() {
  const [current = ''] = path.value.split('/');
  const offered = SCREENS.filter((screen): screen is Named => screen.name !== undefined && isOffered(screen));
  const rest = offered.slice(MAX_BELOW);
  const views = savedViews.value;
  const view = views.find(({ id }) => id === filter('view'))?.id;
  return (
    <nav class="frame-nav" aria-label={words.screens}>
      <ul class="plain">
        {offered.map(({ path: screen, name, icon, count }, at) => {
          const n = count?.();
          return (
            <li key={screen} class={at < MAX_BELOW ? undefined : 'frame-nav-rest'}>
              <a href={to(screen)} aria-current={current === screen && !view ? 'page' : undefined}>
                <Icon of={icon} />
                <span class="frame-nav-name">{name()}</span>
                {n ? <span class="frame-nav-count">{n}</span> : null}
              </a>
            </li>
          );
        })}
        {rest.length > 0 && (
          <li class="frame-nav-more">
            <Menu
              class="frame-nav-button"
              label={words.moreScreens}
              items={[
                ...rest.map(({ path: screen, name, icon }) => ({ label: name(), icon, run: () => go(to(screen)) })),
                ...views.map((each) => ({
                  group: words.views,
                  label: each.name,
                  icon: iconOf(each),
                  run: () => go(addressOf(each)),
                })),
              ]}
            >
              <Icon of={moreIcon} />
              <span class="frame-nav-name">{words.moreScreens}</span>
            </Menu>
          </li>
        )}
      </ul>
      {views.length > 0 && (
        <section class="frame-nav-rest frame-views" aria-label={words.views}>
          <p aria-hidden="true">{words.views}</p>
          <ul class="plain">
            {views.map((each) => (
              <li key={each.id}>
                <a href={addressOf(each)} aria-current={each.id === view ? 'page' : undefined}>
                  <Icon of={iconOf(each)} />
                  <span class="frame-nav-name">{each.name}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </nav>
  );
}
