import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { useCallback, useEffect } from 'preact/hooks';
import { CreateAnywhere } from './create/anywhere.tsx';
import { Frame } from './frame/frame.tsx';
import { CurrentScreen } from './frame/screen.tsx';
import { ready, useEvents } from './live/live.ts';
import { isPaletteOpen } from './palette/open.ts';
import { later } from './parts/page/later.tsx';
import { isHelpOpen } from './parts/page/shortcuts.ts';
import { Failed, Loading } from './parts/page/states.tsx';
import { Toasts } from './parts/popup/toasts.tsx';
import { go, path, to } from './router.ts';
import { firstScreen, screenAt } from './screens.ts';
import { askAgain, askWhoIsThere, hasCode, type Identity, session } from './session.ts';

/** A change to a user is told when it is stored: this long after, the service has forgotten who that was before. */
const SETTLED_MS = 1_000;

const SignIn = later(async () => (await import('./sign-in/sign-in.tsx')).SignIn);

const Palette = later(async () => (await import('./palette/palette.tsx')).Palette, { isDialog: true });

const ShortcutHelp = later(async () => (await import('./parts/popup/shortcut-help.tsx')).ShortcutHelp, {
  isDialog: true,
});

export function App() {
  const { value } = session;
  switch (value.state) {
    case 'asking':
      return <Loading />;
    case 'failed':
      return <Failed error={value.error} retry={() => void askWhoIsThere()} />;
    case 'signed-out':
      return <SignIn ended={value.ended} />;
    case 'signed-in':
      return hasCode.value ? <SignIn ended={false} /> : <SignedIn identity={value.identity} />;
  }
}

function SignedIn({ identity }: { readonly identity: Identity }) {
  const { id } = identity.user;
  // A new name, or a role that may do more or less.
  useEvents(
    useCallback(
      ({ subject }: LoggedEvent) => {
        if (subject.id === id) setTimeout(askAgain, SETTLED_MS);
      },
      [id],
    ),
  );
  const isAtDoor = path.value === '';
  useEffect(() => {
    // Which project is up to its menu: the last one may be gone.
    if (isAtDoor) go(to(firstScreen(), { project: undefined }), 'replace');
  }, [isAtDoor]);
  const content = ready.value && !isAtDoor ? <CurrentScreen /> : <Loading />;
  if (screenAt(path.value)?.screen.isAlone) return <main id="content">{content}</main>;
  return (
    <>
      <Frame identity={identity}>{content}</Frame>
      <Toasts />
      <CreateAnywhere />
      {isPaletteOpen.value && <Palette />}
      {isHelpOpen.value && <ShortcutHelp />}
    </>
  );
}
