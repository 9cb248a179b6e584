import { type ComponentType, h } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ServiceError } from '../../api/service-error.ts';
import { laterTexts } from '../../language/later-texts.ts';
import { connection } from '../../live/live.ts';
import { words } from '../messages.ts';
import { otherStyles } from './other-styles.ts';
import { Failed, Loading } from './states.tsx';

interface LaterOptions {
  /** It is loaded with the page (build.ts), as are its styles and texts. */
  readonly isFirst?: boolean;
  /** Nothing is shown in its place until it is there. */
  readonly isQuiet?: boolean;
  /** It is one: what is typed before it is there is meant for nothing else. */
  readonly isDialog?: boolean;
}

/** A component whose code, styles and texts are loaded when it is first rendered. */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { isFirst = false, isQuiet = false, isDialog = false }: LaterOptions = {},
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
    const [View, setView] = useState<ComponentType<P> | undefined>(() => loaded);
    const [error, setError] = useState<unknown>();
    // Once it is back, without anybody's asking.
    const isLost = connection.value.state === 'lost';
    useEffect(() => {
      if (loaded) return;
      Promise.all([load(), isFirst || otherStyles(), isFirst || laterTexts()]).then(
        ([view]) => {
          loaded = view;
          setView(() => view);
        },
        async (failure: Error) => setError(await notLoaded(failure)),
      );
    }, [isLost]);
    if (View) return h(View, props);
    if (error) return <Failed error={error} retry={() => location.reload()} />;
    if (isDialog) return <LoadingDialog />;
    return isQuiet ? null : <Loading />;
  };
}

/** What is said of what could not be loaded: a browser's own words are for no visitor. */
export async function notLoaded({ message }: Error): Promise<unknown> {
  return (await isReplaced()) ? words.isNewer : new ServiceError({ code: 'NETWORK', message, status: 0 });
}

/** Whether the page would be another one now, with other files: those of an earlier build no longer exist. */
export async function isReplaced(): Promise<boolean> {
  const begin = document.querySelector('script')?.getAttribute('src') ?? '';
  try {
    const page = await fetch(location.href);
    return page.ok && !(await page.text()).includes(begin);
  } catch {
    return false;
  }
}

function LoadingDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Gives the focus back, from where the dialog itself takes it.
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-label={words.loading} onCancel={(event) => event.preventDefault()}>
      <Loading />
    </dialog>
  );
}
