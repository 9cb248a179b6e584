import type { updateNotificationSettings } from '@worktrack/contracts/events/notifications';
import { LANGUAGES, type Language } from '@worktrack/contracts/people/languages';
import type { ComponentChildren } from 'preact';
import { call } from '../api/call.ts';
import { chooseDensity, DENSITIES, density } from '../density.ts';
import { chooseLanguage, LANGUAGE_NAMES, language } from '../language/language.ts';
import { laterTexts } from '../language/later-texts.ts';
import { words as common } from '../parts/messages.ts';
import { notLoaded } from '../parts/page/later.tsx';
import { openHelp } from '../parts/page/shortcuts.ts';
import { Menu } from '../parts/popup/menu.tsx';
import { tellFailure } from '../parts/popup/toasts.tsx';
import { type Identity, signOut } from '../session.ts';
import { chooseTheme, THEMES, theme } from '../theme.ts';
import { words } from './messages.ts';

interface AccountMenuProps {
  readonly identity: Identity;
  readonly children: ComponentChildren;
}

/** What a person chooses for themselves, on this browser. */
export function AccountMenu({ identity, children }: AccountMenuProps) {
  const leave = () => void signOut().catch((error) => tellFailure(words.notSignedOut, error));
  return (
    <Menu
      class="button button-quiet frame-account-button"
      label={words.account({ name: identity.user.name })}
      items={[
        { label: common.keyboard, keys: '?', group: '', run: openHelp },
        ...THEMES.map((each) => ({
          label: words[each],
          checked: each === theme.value,
          group: words.appearance,
          run: () => chooseTheme(each),
        })),
        ...DENSITIES.map((each) => ({
          label: words[each],
          checked: each === density.value,
          group: words.size,
          run: () => chooseDensity(each),
        })),
        ...LANGUAGES.map((each) => ({
          label: LANGUAGE_NAMES[each],
          checked: each === language.value,
          group: words.language,
          run: () => void choose(each),
        })),
        { label: words.signOut, group: '', run: leave },
      ]}
    >
      {children}
    </Menu>
  );
}

/** Here, and for what the user is told elsewhere; where that fails, it is said again with the next change of what they are told. */
async function choose(chosen: Language): Promise<void> {
  try {
    await laterTexts(chosen);
  } catch (error) {
    tellFailure(common.failed, await notLoaded(error as Error));
    return;
  }
  chooseLanguage(chosen);
  await call<typeof updateNotificationSettings>('PATCH /api/me/notifications', { language: chosen }).catch(() => {});
}
