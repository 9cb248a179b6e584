import './styles/tokens.css';
import './styles/base.css';
import './parts/controls.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { openBoard } from './board/open.ts';
import { tellPage } from './language/language.ts';
import { laterTexts } from './language/later-texts.ts';
import { startLive } from './live/live.ts';
import { beginWith } from './parts/project.ts';
import { path } from './router.ts';
import { FIRST_SCREEN, screenAt } from './screens.ts';
import { askWhoIsThere } from './session.ts';

tellPage();
askWhoIsThere();
startLive();
if (path.value === 'board') beginWith(openBoard);
else laterTexts().catch(() => {});
// Its texts and its code meanwhile: a failure is shown when the screen is.
screenAt(path.value || FIRST_SCREEN)
  ?.screen.load()
  .catch(() => {});
const root = document.querySelector('#console') as HTMLElement;
// Says what to do if this is not reached, or if the styles are not there (build.ts).
if (getComputedStyle(root).getPropertyValue('--font')) {
  root.replaceChildren();
  render(<App />, root);
}
