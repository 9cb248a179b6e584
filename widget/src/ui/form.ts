import type { Category } from '@worktrack/contracts/feedback/records';
import type { Draft } from '../draft.ts';
import { CATEGORIES, DEFAULT_CATEGORY, lengthOf, MAX_MESSAGE_LENGTH } from '../service.ts';
import { count, type Language } from '../strings.ts';
import { h, icon } from './dom.ts';

type Fields = Omit<Draft, 'attempt'>;
type FieldName = 'message' | 'email';

/** The counter appears when there is this much room left. */
const COUNT_FROM = 500;

/** The fields, their labels and what is wrong with them. */
export class FormFields {
  readonly categories: HTMLFieldSetElement;
  readonly message: HTMLDivElement;
  readonly email: HTMLDivElement;
  readonly #language: Language;
  readonly #radios: ReadonlyMap<Category, HTMLInputElement>;
  readonly #inputs: { readonly message: HTMLTextAreaElement; readonly email: HTMLInputElement };
  readonly #errors: Readonly<Record<FieldName, HTMLElement>>;
  readonly #counter = h('p', { class: 'counter', id: 'counter' });

  constructor(language: Language) {
    this.#language = language;
    const { strings } = language;
    this.#radios = new Map(
      CATEGORIES.map((category) => [category, h('input', { type: 'radio', name: 'category', value: category })]),
    );
    this.categories = h(
      'fieldset',
      { class: 'categories' },
      h('legend', {}, strings.category),
      ...[...this.#radios].map(([category, radio]) =>
        h('label', { class: 'chip' }, radio, icon(category), h('span', {}, strings.categories[category])),
      ),
    );
    this.#inputs = {
      message: h('textarea', {
        id: 'message',
        // Whatever the form's language, people write in theirs.
        dir: 'auto',
        rows: 5,
        required: true,
        'aria-describedby': 'message-error counter',
        'data-autofocus': true,
      }),
      email: h('input', {
        id: 'email',
        type: 'email',
        autocomplete: 'email',
        inputmode: 'email',
        maxlength: 320,
        'aria-describedby': 'email-error email-help',
      }),
    };
    this.#errors = {
      message: h('p', { class: 'field-error', id: 'message-error' }),
      email: h('p', { class: 'field-error', id: 'email-error' }),
    };
    this.message = h(
      'div',
      { class: 'field' },
      h('label', { for: 'message' }, strings.message),
      this.#inputs.message,
      h('div', { class: 'below' }, this.#errors.message, this.#counter),
    );
    this.email = h(
      'div',
      { class: 'field' },
      h('label', { for: 'email' }, strings.email, ' ', h('span', { class: 'optional' }, `(${strings.optional})`)),
      this.#inputs.email,
      this.#errors.email,
      h('p', { class: 'help', id: 'email-help' }, strings.emailHelp),
    );
    this.#radios.forEach((radio) => {
      radio.addEventListener('change', () => this.#hint());
    });
    this.#inputs.message.addEventListener('input', () => {
      this.#count();
      if (this.#inputs.message.value.trim()) this.fault('message', '');
    });
    this.#inputs.email.addEventListener('input', () => this.fault('email', ''));
  }

  get values(): Fields {
    const checked = [...this.#radios].find(([, radio]) => radio.checked);
    return {
      message: this.#inputs.message.value,
      category: checked?.[0],
      email: this.#inputs.email.value,
    };
  }

  set values(fields: Fields) {
    this.#radios.forEach((radio, category) => {
      radio.checked = category === fields.category;
    });
    this.#inputs.message.value = fields.message;
    this.#inputs.email.value = fields.email;
    this.#hint();
    this.#count();
  }

  /** What a browser can check: true if it is worth asking the server. The first field at fault gets the focus. */
  validate(): boolean {
    const { message } = this.values;
    const { failures, charactersTooMany } = this.#language.strings;
    const excess = lengthOf(message) - MAX_MESSAGE_LENGTH;
    if (message.trim() === '') this.fault('message', failures.messageMissing);
    else this.fault('message', excess > 0 ? count(charactersTooMany, excess, this.#language.tag) : '');
    this.fault('email', this.#inputs.email.validity.valid ? '' : failures.emailInvalid);
    return !this.focusFault();
  }

  /** Shows what is wrong with a field; an empty text removes it. */
  fault(name: FieldName, text: string): void {
    this.#errors[name].textContent = text;
    this.#inputs[name].toggleAttribute('aria-invalid', text !== '');
    if (text) this.#inputs[name].setAttribute('aria-invalid', 'true');
  }

  /** Puts the focus on the first field at fault; false if there is none. */
  focusFault(): boolean {
    const faulty = Object.values(this.#inputs).find((input) => input.hasAttribute('aria-invalid'));
    faulty?.focus();
    return faulty !== undefined;
  }

  /** While a submission is in progress its fields cannot be changed, and keep the focus where it is. */
  set frozen(frozen: boolean) {
    this.#inputs.message.readOnly = frozen;
    this.#inputs.email.readOnly = frozen;
    this.#radios.forEach((radio) => {
      radio.disabled = frozen && !radio.checked;
    });
  }

  #hint(): void {
    this.#inputs.message.placeholder = this.#language.strings.hints[this.values.category ?? DEFAULT_CATEGORY];
  }

  #count(): void {
    const left = MAX_MESSAGE_LENGTH - lengthOf(this.#inputs.message.value);
    const { charactersLeft, charactersTooMany } = this.#language.strings;
    const forms = left < 0 ? charactersTooMany : charactersLeft;
    this.#counter.textContent = left > COUNT_FROM ? '' : count(forms, Math.abs(left), this.#language.tag);
    this.#counter.classList.toggle('over', left < 0);
  }
}
