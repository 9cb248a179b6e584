import { useEffect } from 'preact/hooks';
import { useQuery } from '../../api/query.ts';
import { Heading } from '../../parts/page/heading.tsx';
import { Loaded } from '../../parts/page/states.tsx';
import { go } from '../../router.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { allViews, VIEWS_KEY } from './follow.ts';
import { words } from './messages.ts';
import { addressOf } from './saved.ts';

/** The address of a view that stays the same whatever becomes of it: leads to what it shows now. */
export function Screen({ params: { id } }: ScreenProps) {
  const views = useQuery({ key: [VIEWS_KEY], load: (signal) => allViews(undefined, signal) });
  const view = views.data?.find((each) => each.id === id);
  useEffect(() => {
    if (view) go(addressOf(view), 'replace');
  }, [view]);
  return (
    <Loaded query={views}>
      {() => (
        <div class="state">
          <Heading title={view?.name ?? words.noView} />
        </div>
      )}
    </Loaded>
  );
}
