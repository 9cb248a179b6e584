import './frame.css';
import type { ComponentChildren } from 'preact';
import { time } from '../language/format.ts';
import { chooseLanguage, LANGUAGE_NAMES, LANGUAGES, language } from '../language/language.ts';
import { connection } from '../live/live.ts';
import { useCurrentInView } from '../parts/current-in-view.ts';
import { Menu } from '../parts/menu.tsx';
import { words as common } from '../parts/messages.ts';
import { openHelp } from '../parts/shortcuts.tsx';
import { tellFailure } from '../parts/toasts.tsx';
import { filter, path, to } from '../router.ts';
import { FIRST_SCREEN, isOffered, SCREENS } from '../screens.ts';
import { type Identity, signOut } from '../session.ts';
import { chooseTheme, THEMES, theme } from '../theme.ts';
import { words } from './messages.ts';

/** What surrounds every screen: where one can go, who one is, and whether what is shown is up to date. */
export function Frame({ identity, children }: { readonly identity: Identity; readonly children: ComponentChildren }) {
  const [current = ''] = path.value.split('/');
  const nav = useCurrentInView(current);
  const isLost = connection.value.state === 'lost';
  return (
    <div class="frame">
      <a class="frame-skip" href="#content">
        {words.toContent}
      </a>
      <header class="frame-head">
        <a class="frame-brand" href={to(FIRST_SCREEN, { project: filter('project') })}>
          worktrack
        </a>
        <nav ref={nav} aria-label={words.screens}>
          <ul class="plain">
            {SCREENS.filter(isOffered).map(
              ({ path: screen, name }) =>
                name && (
                  <li key={screen}>
                    <a
                      href={to(screen, { project: filter('project') })}
                      aria-current={current === screen ? 'page' : undefined}
                    >
                      {name()}
                    </a>
                  </li>
                ),
            )}
          </ul>
        </nav>
        <div class="frame-own">
          <button
            type="button"
            class="button button-quiet button-icon frame-help"
            aria-label={common.keyboard}
            onClick={openHelp}
          >
            ?
          </button>
          <Menu
            label={`${words.language} ${language.value.toUpperCase()}`}
            items={LANGUAGES.map((each) => ({
              label: LANGUAGE_NAMES[each],
              checked: each === language.value,
              run: () => chooseLanguage(each),
            }))}
          >
            {language.value.toUpperCase()}
          </Menu>
          <Menu
            label={words.appearance}
            items={THEMES.map((each) => ({
              label: words[each],
              checked: each === theme.value,
              run: () => chooseTheme(each),
            }))}
          >
            ◐
          </Menu>
          <Menu
            label={words.account({ name: identity.user.name })}
            items={[
              {
                label: words.signOut,
                run: () => void signOut().catch((error) => tellFailure(words.notSignedOut, error)),
              },
            ]}
            class="button button-quiet frame-account"
          >
            {identity.user.name}
          </Menu>
        </div>
      </header>
      <div class="frame-connection" role="status">
        {isLost && words.disconnected({ time: time(connection.value.sinceMs) })}
      </div>
      <main id="content" tabIndex={-1} class={isLost ? 'is-old' : undefined}>
        {children}
      </main>
    </div>
  );
}
