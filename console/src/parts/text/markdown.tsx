import './markdown.css';
import { handleOf, MENTION, readingsOf } from '@worktrack/contracts/people/mentions';
import DOMPurify from 'dompurify';
import { Lexer, Marked, type Token } from 'marked';
import { useEffect, useRef } from 'preact/hooks';
import { identity } from '../../session.ts';
import { taskAt } from './markdown-tasks.ts';

/** Below the headings of the screen that contains the text. */
const HEADING_LEVELS_ABOVE = 2;
const DEEPEST_HEADING = 6;
const WITH_DIRECTION: ReadonlySet<string> = new Set(['P', 'H3', 'H4', 'H5', 'H6', 'UL', 'OL', 'BLOCKQUOTE', 'TABLE']);
const TASK_ID = /^[A-Z]{1,5}-[TSFEI]-[1-9]\d{0,9}(?![\w-])/;
const MENTION_AT_START = new RegExp(`^${MENTION.source}`, 'u');

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A paragraph is read in the square of its length: one of 50,000 characters took the page 5 to 20 s. */
const MAX_INLINE = 3_000;

class BoundedLexer<Parsed, Rendered> extends Lexer<Parsed, Rendered> {
  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (text.length <= MAX_INLINE) return super.inlineTokens(text, tokens);
    tokens.push({ type: 'text', raw: text, text });
    return tokens;
  }
}

const marked = new Marked({
  gfm: true,
  hooks: { provideLexer: () => (text, options) => new BoundedLexer(options).lex(text) },
  walkTokens(token) {
    if (token.type === 'heading') token.depth = Math.min(DEEPEST_HEADING, token.depth + HEADING_LEVELS_ABOVE);
  },
  renderer: {
    // As text: the author sees what became of it, and the page's policy has nothing to object to.
    html: ({ text }) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
    // Made a control where it can be ticked (withTasks).
    checkbox: ({ checked }) => `<span data-task="${checked}">${checked ? '☑' : '☐'} </span>`,
    code: ({ text, lang = '' }) =>
      `<pre data-language="${escaped(lang.split(/\s/, 1)[0] ?? '')}"><code>${escaped(text)}\n</code></pre>`,
  },
  extensions: [
    {
      name: 'taskId',
      level: 'inline',
      start: (text) => indexOf(text, /(?<![\w/#-])[A-Z]{1,5}-[TSFEI]-\d/),
      tokenizer(text) {
        const [raw] = TASK_ID.exec(text) ?? [];
        return raw && !this.lexer.state.inLink ? { type: 'taskId', raw } : undefined;
      },
      renderer: ({ raw }) => `<a href="/console/items/${raw}">${raw}</a>`,
    },
    {
      name: 'mention',
      level: 'inline',
      start: (text) => indexOf(text, MENTION),
      tokenizer(text) {
        const [raw, name] = MENTION_AT_START.exec(text) ?? [];
        return raw && !this.lexer.state.inLink ? { type: 'mention', raw, name } : undefined;
      },
      renderer: ({ raw, name }) =>
        `<span data-mention="${isOwnName(String(name)) ? 'own' : ''}">${escaped(raw)}</span>`,
    },
  ],
});

function indexOf(text: string, pattern: RegExp): number | undefined {
  const at = text.search(pattern);
  return at < 0 ? undefined : at;
}

const isOwnName = (name: string) => readingsOf(handleOf(name)).includes(handleOf(identity.peek()?.user.name ?? ''));

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'A') {
    node.setAttribute('rel', 'noopener noreferrer nofollow');
    if (!node.getAttribute('href')?.startsWith('/console/')) node.setAttribute('target', '_blank');
  }
  // A link instead: loading it would tell a stranger who is reading this, and when.
  if (node.tagName === 'IMG' && !isOwn(node.getAttribute('src'))) node.replaceWith(linkTo(node as HTMLImageElement));
  // Each in its own direction, and a list with its marks on that side.
  if (WITH_DIRECTION.has(node.tagName)) node.setAttribute('dir', 'auto');
  // It may scroll, and without a mouse one scrolls what has the focus.
  if (node.tagName === 'PRE') node.setAttribute('tabindex', '0');
});

interface MarkdownProps {
  readonly text: string;
  /** Tasks in it can be ticked: with the whole text as it then is. */
  readonly onChange?: ((text: string) => void) | undefined;
}

/** Markdown as written by agents. This is the one place where text becomes HTML, and it is sanitized first. */
export function Markdown({ text, onChange }: MarkdownProps) {
  const element = useRef<HTMLDivElement>(null);
  const change = useRef(onChange);
  change.current = onChange;
  const isTickable = onChange !== undefined;
  useEffect(() => {
    const shown = element.current;
    if (!shown) return;
    const fragment = sanitized(htmlOf(text));
    if (isTickable) withTasks(fragment, (at) => change.current?.(taskAt(text, at)));
    shown.replaceChildren(fragment);
    void highlight(shown);
  }, [text, isTickable]);
  return <div ref={element} class="markdown" />;
}

/** What is nested too deeply for the stack, as 10,000 `>` are, is shown as it was written: the error took the whole page. */
function htmlOf(text: string): string {
  try {
    return marked.parse(text, { async: false });
  } catch {
    return `<pre>${escaped(text)}</pre>`;
  }
}

function sanitized(html: string, { withClasses = false } = {}): DocumentFragment {
  return DOMPurify.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'video', 'audio', 'picture', 'source'],
    FORBID_ATTR: [...(withClasses ? [] : ['class']), 'style', 'id', 'name', 'srcset', 'background'],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?!\/)|#)/i,
    RETURN_DOM_FRAGMENT: true,
  });
}

/** Boxes to tick in the place of their drawings. */
function withTasks(fragment: DocumentFragment, onTick: (at: number) => void): void {
  for (const [at, mark] of fragment.querySelectorAll<HTMLElement>('[data-task]').entries()) {
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = mark.dataset.task === 'true';
    const entry = mark.closest('li');
    box.setAttribute('aria-label', ownTextOf(entry).replace(/^[☑☐]\s*/, ''));
    box.addEventListener('change', () => onTick(at));
    mark.replaceWith(box);
  }
}

/** Without that of the lists below it. */
function ownTextOf(entry: HTMLElement | null): string {
  const copy = entry?.cloneNode(true) as HTMLElement | undefined;
  for (const list of copy?.querySelectorAll('ul, ol') ?? []) list.remove();
  return copy?.textContent?.trim() ?? '';
}

/** Colours the code whose language is known; its code is loaded when there is some. */
async function highlight(shown: HTMLElement): Promise<void> {
  const blocks = [...shown.querySelectorAll<HTMLElement>('pre[data-language]:not([data-language=""])')];
  if (blocks.length === 0) return;
  const loaded = await import('./highlight.ts').catch(() => undefined);
  if (!loaded) return;
  for (const block of blocks) {
    const code = block.querySelector('code');
    const html = loaded.highlighted(code?.textContent ?? '', block.dataset.language ?? '');
    if (html !== undefined) code?.replaceChildren(sanitized(html, { withClasses: true }));
  }
}

function linkTo(image: HTMLImageElement): Node {
  const src = image.getAttribute('src') ?? '';
  if (!/^https?:/.test(src)) return document.createTextNode(image.alt);
  const link = document.createElement('a');
  link.href = src;
  link.rel = 'noopener noreferrer nofollow';
  link.target = '_blank';
  link.textContent = image.alt || src;
  return link;
}

/** An attachment of the organization. No other path: an image from there would request something that is not one, such as the stream of events. */
function isOwn(src: string | null): boolean {
  return /^\/api\/work-items\/[\w-]+\/attachments\/local\?/.test(src ?? '');
}
