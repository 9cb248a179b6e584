import type { Bootstrap } from '@worktrack/contracts/feedback/public-api';
import { warn } from '../console.ts';
import { isTimeout } from '../files.ts';
import { type Service, ServiceError } from '../service.ts';
import type { Settings } from '../settings.ts';
import { solveAltcha } from './altcha.ts';
import { type HostedProvider, type HostedWidget, opensOverPage, showHosted } from './hosted.ts';

/** Where a hosted provider's box is shown, and how. */
export interface CaptchaPlace {
  /** Makes the form show the box; `overPage` when the provider will lay a puzzle over the page. */
  show(overPage: boolean): { readonly container: HTMLElement; readonly dark: boolean; readonly language: string };
}

/** What the bootstrap says about the captcha. */
export type CaptchaConfig = Bootstrap['config']['captcha'];

/** Gets the token that proves a person (or at least some work), from whichever provider the server names. A token is valid for one submission. */
export class Captcha {
  readonly #service: Service;
  readonly #settings: Settings;
  readonly #place: CaptchaPlace;
  #hosted: HostedWidget | undefined;
  #token: Promise<string> | undefined;

  constructor(service: Service, settings: Settings, place: CaptchaPlace) {
    this.#service = service;
    this.#settings = settings;
    this.#place = place;
  }

  /** Starts early, while the person is still writing. A failure is reported when the token is requested. */
  prepare(config: CaptchaConfig): void {
    this.#prepared(config).catch(() => {});
  }

  /** Throws ServiceError if the service refuses the challenge, with NETWORK if the solver does not arrive, and with CAPTCHA_INVALID if it cannot be solved here. */
  async token(config: CaptchaConfig): Promise<string> {
    try {
      return await this.#prepared(config);
    } catch (error) {
      this.#token = undefined;
      if (error instanceof ServiceError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      warn(message);
      const code = isTimeout(error) ? 'NETWORK' : 'CAPTCHA_INVALID';
      throw new ServiceError({ code, message, status: 0, details: [] });
    }
  }

  /** After a submission, whatever its outcome: the server may have used up the token. */
  spend(): void {
    this.#token = undefined;
    this.#hosted?.reset();
  }

  #prepared(config: CaptchaConfig): Promise<string> {
    // The box renews its token itself when that gets too old.
    if (this.#hosted) return this.#hosted.token();
    this.#token ??=
      config && config.provider !== 'altcha'
        ? this.#askHosted(config.provider, config.siteKey ?? '')
        : this.#service.challenge().then((challenge) => solveAltcha(challenge, this.#settings));
    return this.#token;
  }

  async #askHosted(provider: HostedProvider, siteKey: string): Promise<string> {
    const { container, dark, language } = this.#place.show(opensOverPage(provider));
    this.#hosted = await showHosted(provider, siteKey, container, { dark, language }, this.#settings);
    return this.#hosted.token();
  }
}
