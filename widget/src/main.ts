import { warn } from './console.ts';
import { Emitter } from './events.ts';
import { findScript, readSettings } from './settings.ts';
import { loadLanguage } from './strings.ts';
import { FeedbackWidget, type Identity, type Preset } from './widget.ts';

declare global {
  interface Window {
    WorktrackFeedback?: ReturnType<typeof start>;
  }
}

/** What a page's own scripts can do with the widget, as soon as its script has run: calls wait until the texts are there. */
function start(script: HTMLScriptElement) {
  const settings = readSettings(script);
  const events = new Emitter();
  const widget = loadLanguage(settings).then((language) => new FeedbackWidget(settings, language, events));
  return Object.freeze({
    /** Opens the form; `message` and `category` fill it in where the person has not yet written anything. */
    open(preset: Preset = {}): void {
      void widget.then((it) => it.open(preset));
    },
    /** Closes it; what was typed is kept. */
    close(): void {
      void widget.then((it) => it.close());
    },
    /** Fills in the address of a person known to the page. */
    identify(identity: Identity): void {
      void widget.then((it) => it.identify(identity));
    },
    /** Listens to `open`, `close`, `submitted` (the receipt) and `error` (the refusal); returns a function that stops it. */
    on: events.on.bind(events),
  });
}

const script = findScript();
// An element with this id or name is found on the window as well, but inherited.
if (Object.hasOwn(window, 'WorktrackFeedback') && window.WorktrackFeedback) {
  warn('The script is on this page twice; the second tag is passed over.');
} else if (!script) {
  warn('The script tag needs data-public-key="pk_…", the public key of a feedback source.');
} else {
  window.WorktrackFeedback = start(script);
}
