import { useEffect, useState } from 'preact/hooks';
import { queries } from '../api/query.ts';

/** What the cards say now: asked again whenever an answer changes. @param ask the same function as long as it asks the same */
export function useCards<T>(ask: () => T): T {
  const [value, setValue] = useState(ask);
  useEffect(() => {
    let isDue = false;
    const take = () => {
      isDue = false;
      setValue(ask);
    };
    take();
    return queries.getQueryCache().subscribe((event) => {
      // Not when one is only asked for.
      if (event.type !== 'updated' || event.action.type !== 'success') return;
      // Of answers that come together, once.
      if (!isDue) queueMicrotask(take);
      isDue = true;
    });
  }, [ask]);
  return value;
}
