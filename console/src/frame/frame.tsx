import './frame.css';
import '../parts/page/second-press.ts';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { mayCreate, openCreate } from '../create/open.ts';
import { time } from '../language/format.ts';
import { connection, ready } from '../live/live.ts';
import { IconButton } from '../parts/button.tsx';
import { createIcon } from '../parts/icons.ts';
import { words as common } from '../parts/messages.ts';
import { later } from '../parts/page/later.tsx';
import { Avatar } from '../parts/people/avatar.tsx';
import { filter } from '../router.ts';
import type { Identity } from '../session.ts';
import { may } from '../session.ts';
import { AccountMenu } from './account-menu.tsx';
import { Caught } from './caught.tsx';
import { words } from './messages.ts';
import { Navigation } from './navigation.tsx';
import { ProjectMenu } from './project-menu.tsx';

const Panel = later(async () => (await import('../item/panel.tsx')).Panel);

interface FrameProps {
  readonly identity: Identity;
  readonly children: ComponentChildren;
}

/** What surrounds every screen: where one can go, who one is, and whether what is shown is up to date. */
export function Frame({ identity, children }: FrameProps) {
  const follows = ready.value && may('work-items:read');
  useEffect(() => {
    void import('../parts/page/keep-focus.ts');
    if (!follows) return;
    // Not needed to draw the first screen.
    const ends = [
      import('../for-you/count.ts').then(({ followNeeds }) => followNeeds()),
      import('../views/saved/follow.ts').then(({ followViews }) => followViews()),
    ];
    return () => ends.forEach((end) => void end.then((stop) => stop()));
  }, [follows]);
  const panel = filter('panel');
  const isLost = connection.value.state === 'lost';
  return (
    <div class="frame">
      <a class="frame-skip" href="#content">
        {words.toContent}
      </a>
      <header class="frame-side">
        <div class="frame-head">
          <ProjectMenu />
          {mayCreate() && (
            <IconButton
              of={createIcon}
              name={common.newItem}
              class="frame-create"
              aria-keyshortcuts="c"
              title={`${common.newItem} (c)`}
              onClick={() => openCreate()}
            />
          )}
        </div>
        <Navigation />
        <div class="frame-account">
          <AccountMenu identity={identity}>
            <Avatar name={identity.user.name} />
            <span class="frame-account-name">{identity.user.name}</span>
          </AccountMenu>
        </div>
      </header>
      <div class="frame-body">
        <div class="frame-connection" role="status">
          {isLost && words.disconnected({ time: time(connection.value.sinceMs) })}
        </div>
        <main id="content" tabIndex={-1} class={isLost ? 'is-old' : undefined}>
          {children}
        </main>
        {panel && (
          <Caught key={panel}>
            <Panel id={panel} />
          </Caught>
        )}
      </div>
    </div>
  );
}
