import type { Settings } from '../settings.ts';
import { addScript } from './script.ts';

export type HostedProvider = 'turnstile' | 'hcaptcha' | 'recaptcha';

/** The part of their interfaces that the three providers share. */
interface HostedApi {
  ready?(run: () => void): void;
  render(
    container: HTMLElement,
    options: {
      sitekey: string;
      theme: 'light' | 'dark';
      callback(token: string): void;
      'expired-callback'(): void;
      'error-callback'(error?: unknown): void;
    },
  ): unknown;
  reset(id: unknown): void;
}

/** Where each provider's script is, and the global that it defines, according to their documentation of explicit rendering. */
const PROVIDERS: Readonly<Record<HostedProvider, { script: string; global: string; language: string }>> = {
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
    global: 'turnstile',
    language: '',
  },
  hcaptcha: { script: 'https://js.hcaptcha.com/1/api.js?render=explicit', global: 'hcaptcha', language: '&hl=' },
  recaptcha: {
    script: 'https://www.google.com/recaptcha/api.js?render=explicit',
    global: 'grecaptcha',
    language: '&hl=',
  },
};

/** Their picture puzzles are laid over the page from its body, where a modal dialog would cover them and keep the keyboard out. */
export function opensOverPage(provider: HostedProvider): boolean {
  return provider !== 'turnstile';
}

export interface HostedWidget {
  /** The token; if the person still has to do something, once they have. */
  token(): Promise<string>;
  /** A token is valid once. */
  reset(): void;
}

/** Shows the provider's own box inside `container`, which is in the page's document: a provider's script cannot reach into a shadow tree. */
export async function showHosted(
  provider: HostedProvider,
  siteKey: string,
  container: HTMLElement,
  look: { readonly dark: boolean; readonly language: string },
  settings: Settings,
): Promise<HostedWidget> {
  const { script, global, language } = PROVIDERS[provider];
  const page = globalThis as unknown as Record<string, HostedApi | undefined>;
  // The page may use the same provider for its own form.
  if (!page[global]) await addScript(script + (language && language + look.language), settings.nonce);
  const api = page[global];
  if (!api) throw new Error(`${script} did not start.`);
  await new Promise<void>((resolve) => (api.ready ? api.ready(resolve) : resolve()));

  let current = Promise.withResolvers<string>();
  const renew = () => {
    current = Promise.withResolvers();
    // Nobody may be waiting when it fails.
    current.promise.catch(() => {});
  };
  renew();
  const box = document.createElement('div');
  container.replaceChildren(box);
  const id = api.render(box, {
    sitekey: siteKey,
    theme: look.dark ? 'dark' : 'light',
    callback: (token) => current.resolve(token),
    'expired-callback': renew,
    'error-callback': (error) => {
      current.reject(new Error(`${provider} failed: ${error ?? 'no reason given'}.`));
      renew();
    },
  });
  return {
    token: () => current.promise,
    reset() {
      renew();
      api.reset(id);
    },
  };
}
