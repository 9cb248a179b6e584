import { useEffect } from 'preact/hooks';
import { Frame } from './frame/frame.tsx';
import { CurrentScreen } from './frame/screen.tsx';
import { ready, startLive } from './live/live.ts';
import { ShortcutHelp } from './parts/shortcuts.tsx';
import { Failed, Loading } from './parts/states.tsx';
import { Toasts } from './parts/toasts.tsx';
import { filter, go, path, to } from './router.ts';
import { askWhoIsThere, type Identity, session } from './session.ts';
import { SignIn } from './sign-in/sign-in.tsx';

const FIRST_SCREEN = 'board';

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
      return <SignedIn identity={value.identity} />;
  }
}

let isLiveStarted = false;

function SignedIn({ identity }: { readonly identity: Identity }) {
  useEffect(() => {
    if (isLiveStarted) return;
    isLiveStarted = true;
    startLive();
  }, []);
  const isAtDoor = path.value === '';
  useEffect(() => {
    if (isAtDoor) go(to(FIRST_SCREEN, { project: filter('project') }), 'replace');
  }, [isAtDoor]);
  return (
    <>
      <Frame identity={identity}>{ready.value && !isAtDoor ? <CurrentScreen /> : <Loading />}</Frame>
      <Toasts />
      <ShortcutHelp />
    </>
  );
}
