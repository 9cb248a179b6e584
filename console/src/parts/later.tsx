import { type ComponentType, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failed, Loading } from './states.tsx';

/** A component whose code is loaded when it is first rendered. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
    const [View, setView] = useState<ComponentType<P> | undefined>(() => loaded);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (loaded) return;
      load().then((view) => {
        loaded = view;
        setView(() => view);
      }, setError);
    }, []);
    // A file from an earlier build no longer exists; reloading the page gets those of the current one.
    if (error) return <Failed error={error} retry={() => location.reload()} />;
    return View ? h(View, props) : <Loading />;
  };
}
