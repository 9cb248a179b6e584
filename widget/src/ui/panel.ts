import type { Settings } from '../settings.ts';
import type { Language } from '../strings.ts';
import { h, icon } from './dom.ts';
import { FormFields } from './form.ts';
import css from './panel.css';

/** What the form tells its owner. */
export interface PanelEvents {
  submitted(): void;
  edited(): void;
  opened(): void;
  closed(): void;
}

/** A note is nobody's fault: there is nothing to correct. */
type Tone = 'error' | 'note';

const HOST = 'worktrack-feedback';
/** The slot of the shadow tree that shows a hosted captcha, whose box must be in the page's own document. */
const CAPTCHA_SLOT = 'captcha';

/**
 * Everything that is visible: the button, the dialog with the form, and its notices. A shadow tree keeps the page's styles and its own apart. Its style sheet
 * is created by script, which a policy against inline styles does not affect. The dialog is the browser's own: it covers everything, keeps the rest of the page
 * inert, and answers Escape.
 */
export class Panel {
  readonly fields: FormFields;
  readonly #host = document.createElement(HOST);
  readonly #language: Language;
  readonly #events: PanelEvents;
  readonly #launcher: HTMLButtonElement | undefined;
  readonly #dialog: HTMLDialogElement;
  readonly #head: HTMLDivElement;
  readonly #form: HTMLFormElement;
  readonly #success: HTMLDivElement;
  readonly #sentTitle: HTMLHeadingElement;
  readonly #sentText = h('p');
  readonly #captcha: HTMLDivElement;
  readonly #notice = h('div', { class: 'notice', role: 'alert' });
  readonly #status = h('p', { class: 'unseen', role: 'status' });
  readonly #send: HTMLButtonElement;
  readonly #sendLabel = h('span');
  #overPage = false;
  #opener: Element | null = null;

  constructor(settings: Settings, language: Language, events: PanelEvents) {
    const { strings } = language;
    this.#language = language;
    this.#events = events;
    this.fields = new FormFields(language);
    this.#launcher = settings.launcher ? launcher(settings.label ?? strings.launcher) : undefined;

    this.#captcha = h(
      'div',
      { class: 'captcha', role: 'group', 'aria-label': strings.captcha, hidden: true },
      h('slot', { name: CAPTCHA_SLOT }),
    );
    this.#send = h('button', { type: 'submit', class: 'primary' }, h('span', { class: 'spinner' }), this.#sendLabel);
    this.#form = h(
      'form',
      { novalidate: true },
      this.fields.categories,
      this.fields.message,
      this.fields.email,
      this.#captcha,
      this.#notice,
      h('div', { class: 'actions' }, h('p', { class: 'help' }, strings.privacy), this.#send),
    );
    this.#sentTitle = h('h2', { tabindex: -1, id: 'sent' }, strings.sent);
    const again = h('button', { type: 'button', class: 'secondary' }, strings.again);
    const done = h('button', { type: 'button', class: 'primary' }, strings.close);
    this.#success = h(
      'div',
      { class: 'success', hidden: true },
      h('div', { class: 'badge' }, icon('check')),
      this.#sentTitle,
      this.#sentText,
      h('div', { class: 'actions' }, again, done),
    );
    const close = h('button', { type: 'button', class: 'close', 'aria-label': strings.close }, icon('close'));
    this.#head = h(
      'div',
      { class: 'head' },
      h('div', {}, h('h2', { id: 'title', tabindex: -1 }, strings.title), h('p', {}, strings.intro)),
      close,
    );
    this.#dialog = h('dialog', { 'aria-labelledby': 'title' }, this.#head, this.#form, this.#success, this.#status);

    const root = h('div', { lang: language.shown, dir: 'ltr', class: settings.position });
    if (this.#launcher) root.append(h('section', { 'aria-label': settings.label ?? strings.launcher }, this.#launcher));
    root.append(this.#dialog);
    const shadow = this.#host.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    shadow.adoptedStyleSheets = [sheet];
    shadow.append(root);
    this.#host.dataset.theme = settings.theme;
    if (settings.accent) colour(root, settings.accent);

    this.#launcher?.addEventListener('click', () => this.open());
    close.addEventListener('click', () => this.close());
    done.addEventListener('click', () => this.close());
    again.addEventListener('click', () => this.edit());
    this.#form.addEventListener('input', () => events.edited());
    // Enter in a field clicks it, too. A frame without `allow-forms` has no `submit`.
    this.#send.addEventListener('click', (event) => {
      event.preventDefault();
      if (this.#send.getAttribute('aria-disabled') !== 'true') events.submitted();
    });
    this.#dialog.addEventListener('close', () => this.#closed());
    this.#dialog.addEventListener('pointerdown', (event) => {
      if (event.target === this.#dialog && outside(this.#dialog, event)) this.close();
    });
    this.#dialog.addEventListener('keydown', (event) => this.#key(event));
    // The page's own shortcuts would react to what is typed here: outside, its target is this element and not a text field.
    for (const type of ['keydown', 'keypress', 'keyup'] as const) {
      shadow.addEventListener(type, (event) => event.stopPropagation());
    }
    this.edit();
    this.#stay();
  }

  /** Shows thanks instead of the form. */
  get isDone(): boolean {
    return !this.#success.hidden;
  }

  get saysNote(): boolean {
    return this.#notice.classList.contains('note');
  }

  get isOpen(): boolean {
    return this.#dialog.open;
  }

  /** Whether it is shown dark now, whatever decided that. */
  get isDark(): boolean {
    const [red] = getComputedStyle(this.#dialog).backgroundColor.match(/\d+/) ?? [];
    return Number(red) < 128;
  }

  open(): void {
    if (this.isOpen) return;
    this.#opener = deepActiveElement();
    this.#launcher?.setAttribute('aria-expanded', 'true');
    this.#show();
    // On a phone the keyboard would cover the form before it is seen.
    const first = matchMedia('(pointer: coarse)').matches ? '#title' : '[data-autofocus]';
    if (this.#success.hidden) this.#dialog.querySelector<HTMLElement>(first)?.focus();
    else this.#sentTitle.focus();
    this.#events.opened();
  }

  close(): void {
    this.#dialog.close();
  }

  /** Back to the form; what is in the fields stays. */
  edit(): void {
    this.#success.hidden = true;
    this.#form.hidden = false;
    this.#dialog.setAttribute('aria-labelledby', 'title');
    this.#head.hidden = false;
    this.rest();
    if (this.isOpen) this.#dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus();
  }

  /** In progress: says what is being done, on the button and to a screen reader. */
  work(text: string): void {
    this.fields.frozen = true;
    this.#say('');
    this.#dialog.setAttribute('aria-busy', 'true');
    this.#button(text, true);
    this.#status.textContent = text;
  }

  /** Ready for the person again, with a notice (nothing: all is well). */
  rest(notice = '', action = this.#language.strings.send, tone: Tone = 'error'): void {
    this.fields.frozen = false;
    this.#dialog.removeAttribute('aria-busy');
    this.#status.textContent = '';
    this.#button(action, false);
    this.#say(notice, tone);
  }

  /** Nothing is left to do here: it has arrived, or will be sent. */
  succeed(text = this.#language.strings.sentText): void {
    this.rest();
    this.#form.hidden = true;
    this.#head.hidden = true;
    this.#success.hidden = false;
    this.#dialog.setAttribute('aria-labelledby', 'sent');
    this.#sentText.textContent = text;
    this.#status.textContent = text;
    if (this.isOpen) this.#sentTitle.focus();
  }

  /** Makes room for a hosted captcha. `overPage`: its puzzle will be laid over the page, so the dialog must not keep the page inert. */
  showCaptcha(overPage: boolean): HTMLElement {
    const container = h('div', { slot: CAPTCHA_SLOT });
    this.#host.replaceChildren(container);
    this.#captcha.hidden = false;
    if (overPage && !this.#overPage) {
      this.#overPage = true;
      if (this.isOpen) this.#reshow();
    }
    return container;
  }

  /**
   * Keeps the panel in the page's body as soon as there is one: a script in the head may run before. It watches for as long as the page exists. A site that
   * navigates by script (Turbo, htmx, a router) replaces the body, or removes elements that it does not know.
   */
  #stay(): void {
    const observer = new MutationObserver(() => enter());
    const enter = () => {
      // Null before it is parsed, whatever its type says.
      const body = document.body as HTMLElement | null;
      if (!body || this.#host.isConnected) return;
      body.append(this.#host);
      observer.observe(body, { childList: true });
      // What is taken out of the page is no longer modal.
      if (this.isOpen) this.#reshow();
    };
    observer.observe(document.documentElement, { childList: true });
    enter();
  }

  #show(): void {
    if (this.#overPage) this.#dialog.show();
    else this.#dialog.showModal();
    this.#dialog.classList.toggle('over-page', this.#overPage);
  }

  /** The same dialog in its other mode, with the focus where it was. */
  #reshow(): void {
    const focused = (this.#host.shadowRoot as ShadowRoot).activeElement;
    this.#dialog.close();
    this.#show();
    if (focused instanceof HTMLElement) focused.focus();
  }

  #closed(): void {
    // Closed and shown again in its other mode.
    if (this.isOpen) return;
    // The thanks were seen; the next time it is opened, it is for something else.
    if (!this.#success.hidden) this.edit();
    this.#launcher?.setAttribute('aria-expanded', 'false');
    if (this.#opener instanceof HTMLElement && this.#opener.isConnected) this.#opener.focus();
    this.#events.closed();
  }

  #key(event: KeyboardEvent): void {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.#send.click();
    if (!this.#overPage) return;
    // What a modal dialog does on its own.
    if (event.key === 'Escape' && !event.isComposing) this.close();
    if (event.key === 'Tab') this.#cycle(event);
  }

  #cycle(event: KeyboardEvent): void {
    const stops = [...this.#dialog.querySelectorAll<HTMLElement>('button, input, textarea')].filter(
      (stop) => stop.checkVisibility() && !(stop instanceof HTMLInputElement && stop.type === 'radio' && !stop.checked),
    );
    const edge = event.shiftKey ? stops[0] : stops.at(-1);
    if (event.target !== edge) return;
    event.preventDefault();
    (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
  }

  #button(text: string, busy: boolean): void {
    this.#sendLabel.textContent = text;
    this.#send.classList.toggle('busy', busy);
    this.#send.setAttribute('aria-disabled', String(busy));
  }

  #say(notice: string, tone: Tone = 'error'): void {
    this.#notice.classList.toggle('note', tone === 'note');
    this.#notice.replaceChildren(...(notice ? [icon(tone === 'note' ? 'check' : 'alert'), h('p', {}, notice)] : []));
  }
}

function launcher(label: string): HTMLButtonElement {
  return h(
    'button',
    { type: 'button', class: 'launcher', 'aria-haspopup': 'dialog', 'aria-expanded': 'false' },
    icon('launcher'),
    // The page's own may be in any language.
    h('span', { dir: 'auto' }, label),
  );
}

/** Inside shadow trees too: the page may open the form from a button in its own component. */
function deepActiveElement(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

function outside(element: Element, { clientX, clientY }: PointerEvent): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

/** Uses the page's colour for the buttons, and black or white on it, whichever is easier to read. */
function colour(root: HTMLElement, accent: string): void {
  root.style.setProperty('--accent', accent);
  const text = readableOn(accent);
  root.style.setProperty('--on-accent', text);
  root.style.setProperty('--lift', text === 'white' ? 'black' : 'white');
}

/** Relative luminance and contrast by WCAG 2.2. */
function readableOn(colour: string): 'black' | 'white' {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!context) return 'white';
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  const linear = (channel: number) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? 'white' : 'black';
}
