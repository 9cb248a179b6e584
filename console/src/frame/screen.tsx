import type { ComponentType } from 'preact';
import { Heading } from '../parts/page/heading.tsx';
import { later } from '../parts/page/later.tsx';
import { path } from '../router.ts';
import type { ScreenProps } from '../screen-props.ts';
import { lackedFor, SCREENS, type ScreenEntry, screenAt } from '../screens.ts';
import { Caught } from './caught.tsx';
import { words } from './messages.ts';

const views = new Map<ScreenEntry, ComponentType<ScreenProps>>(
  SCREENS.map((screen) => [
    screen,
    later(async () => (await screen.load()).Screen, { isFirst: screen.path === 'board' }),
  ]),
);

/** The screen for the address, whose code is loaded when it is first shown. */
export function CurrentScreen() {
  const found = screenAt(path.value);
  const View = found && views.get(found.screen);
  if (!View) return <Message text={words.notFound} />;
  const lacked = lackedFor(found.screen);
  if (lacked) return <Message text={words.notAllowed({ permission: lacked })} />;
  return (
    <Caught key={path.value}>
      <View key={found.screen.path} params={found.params} />
    </Caught>
  );
}

function Message({ text }: { readonly text: string }) {
  return (
    <div class="state">
      <Heading title={text} />
    </div>
  );
}
