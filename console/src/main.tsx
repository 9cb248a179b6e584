import './styles/tokens.css';
import './styles/base.css';
import './parts/controls.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { askWhoIsThere } from './session.ts';

askWhoIsThere();
render(<App />, document.querySelector('#console') as HTMLElement);
