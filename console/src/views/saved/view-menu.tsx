import './view-menu.css';
import { signal } from '@preact/signals';
import type { View } from '@worktrack/contracts/work-items/lists/view';
import { useEffect } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { downIcon, saveIcon } from '../../parts/icons.ts';
import { words as common } from '../../parts/messages.ts';
import { later } from '../../parts/page/later.tsx';
import { Menu, type MenuItem } from '../../parts/popup/menu.tsx';
import { filter, go } from '../../router.ts';
import { identity, may } from '../../session.ts';
import { words } from './messages.ts';
import { addressOf, isSameView, savedViews, shownHere } from './saved.ts';

const NameDialog = later(async () => (await import('./name-dialog.tsx')).NameDialog, { isDialog: true });

/** What is being named: a new view, or one that gets another name. */
const naming = signal<{ readonly view: View | undefined } | undefined>(undefined);

interface ViewMenuProps {
  readonly projectId: string;
  /** What is shown besides what the address says. */
  readonly also: Readonly<Record<string, string>> | undefined;
}

/** Saves what is shown as a view; of one that is saved already, what can be done with it. */
export function ViewMenu({ projectId, also }: ViewMenuProps) {
  const here = shownHere(also);
  const view = savedViews.value.find(({ id }) => id === filter('view'));
  const name = () => {
    naming.value = { view: undefined };
  };
  // Not on the next screen that one comes to.
  useEffect(
    () => () => {
      naming.value = undefined;
    },
    [],
  );
  return (
    <span>
      {view ? (
        <OfView view={view} here={here} onNew={name} />
      ) : (
        <Button look="quiet" onClick={name}>
          <Icon of={saveIcon} />
          {words.saveView}
        </Button>
      )}
      {naming.value && (
        <NameDialog
          projectId={projectId}
          view={naming.value.view}
          filters={here}
          onClose={() => {
            naming.value = undefined;
          }}
        />
      )}
    </span>
  );
}

interface OfViewProps {
  readonly view: View;
  readonly here: View['filters'];
  readonly onNew: () => void;
}

function OfView({ view, here, onNew }: OfViewProps) {
  const isChanged = !isSameView(view.filters, here);
  const isOwn = view.createdBy === identity.value?.user.id;
  const mayChange = may('projects:write') || (isOwn && (!view.shared || may('work-items:write')));
  const act = async (what: (acts: typeof import('./change-view.ts')) => Promise<void>) =>
    what(await import('./change-view.ts'));
  const items: readonly (MenuItem | false)[] = [
    isChanged &&
      mayChange && {
        label: words.saveChanges,
        run: () => void act((acts) => acts.changeView(view, { filters: here })),
      },
    isChanged && { label: words.undoChanges, run: () => go(addressOf(view)) },
    { label: words.saveAsNew, run: onNew },
    mayChange && {
      group: '',
      label: words.rename,
      run: () => {
        naming.value = { view };
      },
    },
    mayChange &&
      (view.shared || may('work-items:write')) && {
        group: '',
        label: view.shared ? (isOwn ? words.unshare : words.unshareOther) : words.share,
        run: () => void act((acts) => acts.changeView(view, { shared: !view.shared })),
      },
    mayChange && {
      group: '',
      label: common.delete,
      isBad: true,
      run: () => void act((acts) => acts.deleteView(view, isOwn)),
    },
  ];
  return (
    <Menu
      class="button button-quiet"
      label={(isChanged ? words.viewOfChanged : words.viewOf)({ name: view.name })}
      items={items.filter((item) => item !== false)}
    >
      <span class="view-name">{view.name}</span>
      {isChanged && <span aria-hidden="true">*</span>}
      <Icon of={downIcon} />
    </Menu>
  );
}
