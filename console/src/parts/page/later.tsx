import { type ComponentType, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { laterTexts } from '../../language/later-texts.ts';
import { otherStyles } from './other-styles.ts';
import { Failed, Loading } from './states.tsx';

interface LaterOptions {
  /** It is loaded with the page (build.ts), as are its styles and texts. */
  readonly isFirst?: boolean;
  /** Nothing is shown in its place until it is there. */
  readonly isQuiet?: boolean;
}

/** A component whose code, styles and texts are loaded when it is first rendered. */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { isFirst = false, isQuiet = false }: LaterOptions = {},
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
    const [View, setView] = useState<ComponentType<P> | undefined>(() => loaded);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (loaded) return;
      Promise.all([load(), isFirst || otherStyles(), isFirst || laterTexts()]).then(([view]) => {
        loaded = view;
        setView(() => view);
      }, setError);
    }, []);
    // A file from an earlier build no longer exists; reloading the page gets those of the current one.
    if (error) return <Failed error={error} retry={() => location.reload()} />;
    if (View) return h(View, props);
    return isQuiet ? null : <Loading />;
  };
}
