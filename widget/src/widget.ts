import type { Bootstrap } from '@worktrack/contracts/feedback/public-api';
import type { Category } from '@worktrack/contracts/feedback/records';
import { type Attempts, attemptAt } from './attempt.ts';
import { Captcha } from './captcha/captcha.ts';
import { explain } from './console.ts';
import { type Draft, DraftStore } from './draft.ts';
import type { Emitter } from './events.ts';
import { isWorthKeeping, Queue } from './queue.ts';
import { isNote, isTransient, wordsFor } from './refusal.ts';
import {
  CATEGORIES,
  DEFAULT_CATEGORY,
  type Failure,
  pageUrl,
  Service,
  ServiceError,
  type Submission,
} from './service.ts';
import type { Settings } from './settings.ts';
import { count, fill, inTime, type Language } from './strings.ts';
import { type Progress, Submitter } from './submission.ts';
import { Panel } from './ui/panel.ts';

/** If a server says “too many” without saying how long, this is a fair guess. */
const DEFAULT_RATE_WAIT_SECONDS = 60;

export interface Preset {
  readonly message?: string;
  readonly category?: Category;
}
export interface Identity {
  readonly email?: string;
}

/** The widget on a page: connects what is seen (Panel) with what is done (Submitter). */
export class FeedbackWidget {
  readonly #settings: Settings;
  readonly #language: Language;
  readonly #drafts: DraftStore;
  readonly #events: Emitter;
  readonly #captcha: Captcha;
  readonly #submitter: Submitter;
  readonly #panel: Panel;
  readonly #queue: Queue;
  #identified = '';
  /** What the bootstrap returned, once it has. */
  #config: Bootstrap['config'] | undefined;
  #busy = false;
  #refusedAtOpening = false;

  constructor(settings: Settings, language: Language, events: Emitter) {
    this.#settings = settings;
    this.#language = language;
    this.#events = events;
    this.#drafts = new DraftStore(settings.publicKey);
    const service = new Service(settings.baseUrl, settings.publicKey);
    this.#panel = new Panel(settings, this.#language, {
      submitted: () => void this.#submit(),
      edited: () => this.#edited(),
      opened: () => void this.#opened(),
      closed: () => this.#events.emit('close', undefined),
    });
    this.#captcha = new Captcha(service, settings, {
      show: (overPage) => ({
        container: this.#panel.showCaptcha(overPage),
        dark: this.#panel.isDark,
        language: this.#language.shown,
      }),
    });
    this.#submitter = new Submitter(service, this.#captcha);
    this.#panel.fields.values = this.#drafts.current;
    this.#queue = new Queue(settings.publicKey, {
      canDeliver: () => !this.#busy,
      deliver: (submission, attempts) => this.#deliver(submission, attempts),
      changed: () => this.#queueChanged(),
    });
    addEventListener('pageshow', ({ persisted }) => persisted && this.#shownAgain());
  }

  /** Opens the form; a preset fills it in where the person has not yet written anything. */
  open({ message, category }: Preset): void {
    if (!this.#busy && this.#panel.fields.values.message.trim() === '') {
      const known = CATEGORIES.find((candidate) => candidate === category);
      this.#fill({ ...(message !== undefined && { message: String(message) }), ...(known && { category: known }) });
      if (message !== undefined || known) this.#panel.edit();
    }
    this.#panel.open();
  }

  close(): void {
    this.#panel.close();
  }

  identify({ email = '' }: Identity): void {
    const { email: typed } = this.#panel.fields.values;
    if (typed === '' || typed === this.#identified) this.#fill({ email: String(email) });
    this.#identified = String(email);
  }

  #fill(change: Partial<Draft>): void {
    this.#panel.fields.values = { ...this.#panel.fields.values, ...change };
    this.#drafts.update(this.#panel.fields.values);
  }

  /** The browser has kept the page as it was left (“back”), and the draft is what another page has made of it since. */
  #shownAgain(): void {
    if (this.#busy) return;
    this.#drafts.reload();
    const { email, ...draft } = this.#drafts.current;
    this.#panel.fields.values = { ...draft, email: email || this.#identified };
  }

  #edited(): void {
    this.#drafts.update(this.#panel.fields.values);
    this.#prepareCaptcha();
  }

  /** A box that needs the person's attention is shown at once; work for the machine waits until there is something to send. */
  #prepareCaptcha(): void {
    if (!this.#config?.requireCaptcha) return;
    const { captcha } = this.#config;
    const isShown = captcha !== undefined && captcha.provider !== 'altcha';
    if (isShown || this.#panel.fields.values.message !== '') this.#captcha.prepare(captcha);
  }

  /** A refusal that concerns the page rather than the message is shown before anything is typed in vain. */
  async #opened(): Promise<void> {
    this.#events.emit('open', undefined);
    if (this.#queue.length > 0) this.#sayWaiting();
    this.#queue.wake(0);
    try {
      const { config } = await this.#submitter.bootstrap();
      this.#config = config;
      this.#prepareCaptcha();
      if (this.#refusedAtOpening) this.#sayWaiting();
      this.#refusedAtOpening = false;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (this.#busy) return;
      this.#refusedAtOpening = true;
      this.#refused(error.failure);
    }
  }

  async #submit(): Promise<void> {
    if (this.#busy || !this.#panel.fields.validate()) return;
    this.#busy = true;
    const submission = this.#submission();
    try {
      const receipt = await this.#submitter.submit(submission, this.#drafts, (progress) => this.#working(progress));
      this.#clear();
      this.#panel.succeed();
      this.#events.emit('submitted', receipt);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (!this.#queued(submission, error.failure)) this.#refused(error.failure);
    } finally {
      this.#busy = false;
      // Its turn may have come meanwhile.
      this.#queue.wake();
    }
  }

  #clear(): void {
    this.#drafts.clear();
    this.#panel.fields.values = { message: '', category: undefined, email: this.#identified };
  }

  /** Keeps what could not be sent now but may be later; false if it is for the person to decide. */
  #queued(submission: Submission, failure: Failure): boolean {
    const attempt = attemptAt(submission, this.#drafts);
    if (!isWorthKeeping(failure.code) || !this.#queue.add(submission, attempt, failure)) return false;
    explain(failure, this.#settings);
    this.#clear();
    this.#panel.succeed(this.#waiting());
    this.#events.emit('queued', failure);
    return true;
  }

  async #deliver(submission: Submission, attempts: Attempts): Promise<void> {
    const { config } = await this.#submitter.bootstrap();
    // Its box is in the form, and needs the person.
    if (config.requireCaptcha && config.captcha?.provider !== 'altcha' && !this.#panel.isOpen) {
      const message = 'The captcha is solved when the form is opened.';
      throw new ServiceError({ code: 'CAPTCHA_REQUIRED', message, status: 0, details: [] });
    }
    try {
      const receipt = await this.#submitter.submit(submission, attempts);
      this.#events.emit('submitted', receipt);
    } catch (error) {
      if (error instanceof ServiceError && !isWorthKeeping(error.failure.code)) explain(error.failure, this.#settings);
      throw error;
    }
  }

  #queueChanged(): void {
    if (this.#panel.isDone) this.#panel.succeed(this.#waiting() || undefined);
    else if (this.#panel.saysNote) this.#sayWaiting();
  }

  #sayWaiting(): void {
    if (!this.#busy && !this.#panel.isDone) this.#panel.rest(this.#waiting(), undefined, 'note');
  }

  /** How many messages will be sent later, in words; empty if none. */
  #waiting(): string {
    const { strings, tag } = this.#language;
    const { length } = this.#queue;
    return length > 0 ? count(strings.waiting, length, tag) : '';
  }

  #submission(): Submission {
    const { message, category, email } = this.#panel.fields.values;
    // A frame with `srcdoc` has no address but its parent's.
    const address = pageUrl(location.protocol === 'about:' ? document.baseURI : location.href);
    return {
      // Half an emoji or a NUL from a paste is nothing that a person wrote.
      message: message.toWellFormed().replaceAll('\0', ''),
      category: category ?? DEFAULT_CATEGORY,
      locale: this.#language.tag,
      ...(email.trim() && { email: email.trim() }),
      ...(address && { pageUrl: address }),
    };
  }

  #working(progress: Progress): void {
    const { sending, checking, retrying } = this.#language.strings;
    this.#panel.work({ sending, checking, retrying }[progress]);
  }

  /** Tells the person in the form, the developer in the console, and the page by its event. What was typed stays. */
  #refused(failure: Failure): void {
    explain(failure, this.#settings);
    const { strings, tag } = this.#language;
    const seconds = failure.retryAfterSeconds ?? DEFAULT_RATE_WAIT_SECONDS;
    if (this.#faultFields(failure)) {
      this.#panel.rest();
      this.#panel.fields.focusFault();
    } else {
      this.#panel.rest(
        this.#told(fill(wordsFor(failure.code, strings), { time: inTime(seconds, tag) })),
        isTransient(failure.code) ? strings.retry : undefined,
        isNote(failure.code) ? 'note' : undefined,
      );
    }
    this.#events.emit('error', failure);
  }

  #told(words: string): string {
    return this.#panel.fields.values.message.trim() ? `${words}\n${this.#language.strings.kept}` : words;
  }

  /** Shows what the server found wrong next to the field that it names; false if it names none of these. */
  #faultFields({ details }: Failure): boolean {
    const { failures } = this.#language.strings;
    const faulty = new Set(details.map(({ path }) => path));
    if (faulty.has('message')) this.#panel.fields.fault('message', failures.rejected);
    if (faulty.has('email')) this.#panel.fields.fault('email', failures.emailInvalid);
    return faulty.has('message') || faulty.has('email');
  }
}
