import { useEffect, useState } from 'preact/hooks';
import { Heading } from '../parts/heading.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { path } from '../router.ts';
import type { ScreenProps } from '../screen-props.ts';
import { type ScreenEntry, screenAt } from '../screens.ts';
import { may } from '../session.ts';
import { words } from './messages.ts';

type Loaded = Awaited<ReturnType<ScreenEntry['load']>>;

const loaded = new Map<ScreenEntry, Loaded>();

/** The screen of the address, whose code is loaded when it is first seen. */
export function CurrentScreen() {
  const found = screenAt(path.value);
  if (!found) return <Message text={words.notFound} />;
  if (!may(found.screen.permission)) {
    return <Message text={words.notAllowed({ permission: found.screen.permission })} />;
  }
  return <LoadedScreen key={found.screen.path} screen={found.screen} params={found.params} />;
}

function Message({ text }: { readonly text: string }) {
  return (
    <div class="state">
      <Heading title={text} />
    </div>
  );
}

function LoadedScreen({ screen, params }: ScreenProps & { readonly screen: ScreenEntry }) {
  const [module, setModule] = useState(loaded.get(screen));
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (module) return;
    screen.load().then((code) => {
      loaded.set(screen, code);
      setModule(code);
    }, setError);
  }, [screen, module]);
  // A file of an earlier build is not there any more; with the page anew there are those of this one.
  if (error) return <Failed error={error} retry={() => location.reload()} />;
  if (!module) return <Loading />;
  return <module.Screen params={params} />;
}
