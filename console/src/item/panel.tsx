import './panel.css';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isGone } from '../api/service-error.ts';
import { Icon } from '../parts/icon.tsx';
import { backIcon, closeIcon, openIcon } from '../parts/icons.ts';
import { useItem } from '../parts/item/item.ts';
import { words as common } from '../parts/messages.ts';
import { usePageTitle } from '../parts/page/heading.tsx';
import { useShortcuts } from '../parts/page/shortcuts.ts';
import { Loaded } from '../parts/page/states.tsx';
import { attended, go, setFilters, to } from '../router.ts';
import { Begun } from './begun.tsx';
import { words } from './messages.ts';
import { ItemView } from './view.tsx';

/** An item beside the screen that led to it, with an address of its own. Escape closes it, and the focus is where it was. */
export function Panel({ id }: { readonly id: string }) {
  const item = useItem(id);
  const element = useRef<HTMLElement>(null);
  useShortcuts([
    { keys: 'o', label: words.openWhole, run: () => go(to(`items/${id}`)) },
    { keys: 'Escape', label: words.closePanel, run: close },
  ]);
  // Before the heading has the focus.
  const [before] = useState(() => document.activeElement);
  useEffect(
    // Once it is gone: what it covers cannot have the focus.
    () => () =>
      queueMicrotask(() => {
        if (document.activeElement !== document.body) return;
        const isThere = before instanceof HTMLElement && before !== document.body && before.isConnected;
        (isThere ? before : attendedLink())?.focus();
      }),
    [before],
  );
  const title = item.data?.title ?? id;
  const buttons = (
    <>
      <a class="button button-quiet button-icon" href={to(`items/${id}`)} title={`${words.openWhole} (o)`}>
        <Icon of={openIcon} name={words.openWhole} />
      </a>
      <button
        type="button"
        class="button button-quiet button-icon panel-close"
        title={words.closePanel}
        onClick={close}
      >
        <Icon of={closeIcon} name={words.closePanel} />
        <Icon of={backIcon} />
      </button>
    </>
  );
  return (
    <aside
      ref={element}
      class="panel-side"
      aria-label={title}
      onKeyDown={(event) => {
        // From a field, Escape leads out of it; the next one closes.
        if (event.key !== 'Escape' || event.defaultPrevented || !isField(event.target)) return;
        event.preventDefault();
        element.current?.querySelector<HTMLElement>('.item-heading')?.focus();
      }}
    >
      {isGone(item.error) ? (
        <div class="state">
          <PanelHeading title={common.gone({ id })} />
          {buttons}
          <Begun of={item.data} />
        </div>
      ) : (
        <Loaded query={item}>
          {(found) => (
            <ItemView key={found.id} item={found} heading={<PanelHeading title={found.title} />} buttons={buttons} />
          )}
        </Loaded>
      )}
    </aside>
  );
}

const close = () => setFilters({ panel: undefined }, 'push');

/** What led to it, of a screen that was drawn anew since. */
const attendedLink = () =>
  document.querySelector<HTMLElement>(`:is([data-card="${attended}"], [data-item="${attended}"]) a`);

/** Of the item itself: in a dialog of it, Escape closes that. */
const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches(':is(input, textarea):not(dialog *)');

/** Names the page as long as the panel is open, and has the focus first. */
function PanelHeading({ title }: { readonly title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  usePageTitle(title);
  return (
    <h2 ref={heading} tabIndex={-1} class="item-heading">
      {title}
    </h2>
  );
}
