import { useEffect } from 'preact/hooks';
import { isGone } from '../api/service-error.ts';
import { useItem } from '../parts/item/item.ts';
import { words as common } from '../parts/messages.ts';
import { Heading } from '../parts/page/heading.tsx';
import { Loaded } from '../parts/page/states.tsx';
import { setFilters } from '../router.ts';
import type { ScreenProps } from '../screen-props.ts';
import { Begun } from './begun.tsx';
import { ItemView } from './view.tsx';

/** One item, on a page of its own. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const item = useItem(id);
  const projectId = item.data?.projectId;
  // Which one the address of an item does not say.
  useEffect(() => {
    if (projectId) setFilters({ project: projectId });
  }, [projectId]);
  if (isGone(item.error)) {
    return (
      <div class="screen">
        <Heading title={common.gone({ id })} />
        <Begun of={item.data} />
      </div>
    );
  }
  return (
    <Loaded query={item}>
      {(found) => <ItemView key={found.id} item={found} heading={<Heading title={found.title} />} />}
    </Loaded>
  );
}
