import './markdown.css';
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useEffect, useRef } from 'preact/hooks';

/** Below the headings of the screen that contains the text. */
const HEADING_LEVELS_ABOVE = 2;
const DEEPEST_HEADING = 6;

const marked = new Marked({
  gfm: true,
  walkTokens(token) {
    if (token.type === 'heading') token.depth = Math.min(DEEPEST_HEADING, token.depth + HEADING_LEVELS_ABOVE);
  },
  renderer: {
    // As text: the author sees what became of it, and the page's policy has nothing to object to.
    html: ({ text }) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
    // Not a control: nothing can be ticked here.
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
});

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'A') {
    node.setAttribute('rel', 'noopener noreferrer nofollow');
    if (!node.getAttribute('href')?.startsWith('/console/')) node.setAttribute('target', '_blank');
  }
  // A link instead: loading it would tell a stranger who is reading this, and when.
  if (node.tagName === 'IMG' && !isOwn(node.getAttribute('src'))) node.replaceWith(linkTo(node as HTMLImageElement));
  // It may scroll, and without a mouse one scrolls what has the focus.
  if (node.tagName === 'PRE') node.setAttribute('tabindex', '0');
});

/** Markdown as written by agents. This is the one place where text becomes HTML, and it is sanitized first. */
export function Markdown({ text }: { readonly text: string }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const fragment = DOMPurify.sanitize(marked.parse(text, { async: false }), {
      USE_PROFILES: { html: true },
      FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'video', 'audio', 'picture', 'source'],
      FORBID_ATTR: ['style', 'class', 'id', 'name', 'srcset', 'background'],
      ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?!\/)|#)/i,
      RETURN_DOM_FRAGMENT: true,
    });
    element.current?.replaceChildren(fragment);
  }, [text]);
  return <div ref={element} class="markdown" />;
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
