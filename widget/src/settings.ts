/** What the script tag says. Every attribute except `data-public-key` is optional. */
export interface Settings {
  readonly publicKey: string;
  /** Where the service is, with a trailing slash: the folder that the script came from, or `data-base-url`. */
  readonly baseUrl: string;
  readonly locale: string | undefined;
  /** `auto` follows the visitor's system, `page` follows the page's own `color-scheme`. */
  readonly theme: 'auto' | 'light' | 'dark' | 'page';
  readonly position: 'bottom-right' | 'bottom-left';
  /** False if the page opens the form with its own button and `WorktrackFeedback.open()`. */
  readonly launcher: boolean;
  /** The text on the button, if the page wants its own. */
  readonly label: string | undefined;
  /** A colour in any CSS notation. */
  readonly accent: string | undefined;
  /** The tag pins the script by its hash, so what the script loads is pinned too. */
  readonly pinned: boolean;
  /** The nonce of the page's Content-Security-Policy, for the script elements that the widget adds. */
  readonly nonce: string;
}

/** The tag itself. `currentScript` is null in a module and in a script inserted late by another one. */
export function findScript(): HTMLScriptElement | null {
  const current = document.currentScript;
  if (current instanceof HTMLScriptElement && current.dataset.publicKey) return current;
  return document.querySelector<HTMLScriptElement>('script[data-public-key][src*="/widget"]');
}

export function readSettings(script: HTMLScriptElement): Settings {
  const { publicKey = '', baseUrl, locale, theme, position, launcher, label, accent } = script.dataset;
  return {
    publicKey: publicKey.trim(),
    baseUrl: baseUrl ? new URL(baseUrl.replace(/\/*$/, '/'), document.baseURI).href : new URL('.', script.src).href,
    locale,
    theme: oneOf(['auto', 'light', 'dark', 'page'], theme),
    position: oneOf(['bottom-right', 'bottom-left'], position),
    launcher: launcher !== 'none',
    label: label?.trim() || undefined,
    accent: accent && CSS.supports('color', accent) ? accent : undefined,
    pinned: script.integrity !== '',
    nonce: script.nonce ?? '',
  };
}

function oneOf<const T extends string>(known: readonly [T, ...T[]], value: string | undefined): T {
  return known.find((candidate) => candidate === value) ?? known[0];
}
