/** The demo visitor's choices, straight from the query: escaped wherever they are used. */
export type DemoQuery = Readonly<Record<string, string | undefined>>;

const LANGUAGES = ['', 'en', 'de', 'fr', 'es', 'tr', 'ja'] as const;
const THEMES = ['', 'light', 'dark'] as const;
const POSITIONS = ['', 'bottom-left'] as const;

/**
 * The demo page as HTML.
 * @param baseUrl of this server, for the tags shown for copying
 * @param pinned the script's permanent path and its hash
 */
export function demoPage(
  query: DemoQuery,
  baseUrl: string,
  pinned: { readonly path: string; readonly integrity: string } | undefined,
): string {
  const { publicKey = '', locale = '', theme = '', position = '', accent = '' } = query;
  const attributes = tagAttributes(query);
  const tag = `<script src="${escapeHtml(baseUrl)}/widget.js"${attributes} async></script>`;
  const pinnedTag =
    pinned &&
    `<script src="${escapeHtml(baseUrl)}${pinned.path}"\n  integrity="${pinned.integrity}" crossorigin="anonymous"\n  ${attributes.trim()} async></script>`;

  return `<!doctype html>
<html lang="en"${theme && ` data-theme="${escapeHtml(theme)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Feedback widget · worktrack</title>
<link rel="stylesheet" href="demo.css">
<script src="demo.js" defer></script>
${publicKey && `<script src="../widget.js"${attributes} async></script>`}
</head>
<body>
<main>
<h1>Feedback widget</h1>
<p class="lead">${
    publicKey
      ? 'The button in the corner is the widget. What you send through it is in the inbox: <code>GET /api/feedback/items</code>.'
      : 'Enter the public key of a feedback source, and the widget is on this page.'
  }</p>

<form method="get" action="demo">
<label>Public key <input name="publicKey" value="${escapeHtml(publicKey)}" placeholder="pk_…" required spellcheck="false" autocomplete="off"></label>
<div class="row">
${select('locale', 'Language', LANGUAGES, locale, 'the visitor’s')}
${select('theme', 'Theme', THEMES, theme, 'the visitor’s')}
${select('position', 'Position', POSITIONS, position, 'bottom-right')}
<label>Accent <input name="accent" value="${escapeHtml(accent)}" placeholder="#0f766e" spellcheck="false" autocomplete="off"></label>
</div>
<button type="submit">Show</button>
</form>

<h2>The tag</h2>
${copyable('tag', tag)}
${pinnedTag ? `<details><summary>Pinned to this build by its hash</summary>${copyable('pinned-tag', pinnedTag)}</details>` : ''}

<h2>From the page’s own script</h2>
<div class="row">
<button type="button" data-run="open">open()</button>
<button type="button" data-run="preset">open({ category: 'bug' })</button>
<button type="button" data-run="identify">identify({ email })</button>
</div>
<h3>Events</h3>
<ol id="events" aria-live="polite"></ol>
</main>
</body>
</html>
`;
}

/** For the widget's tag, as chosen by the visitor. */
export function tagAttributes({ publicKey, locale = '', theme = '', position = '', accent = '' }: DemoQuery): string {
  const choices = Object.entries({ locale, theme, position, accent }).filter(([, value]) => value !== '');
  return [['public-key', publicKey || 'pk_…'], ...choices]
    .map(([name, value = '']) => ` data-${name}="${escapeHtml(value)}"`)
    .join('');
}

/** Text to copy, and a button that copies it. */
function copyable(id: string, text: string): string {
  return `<div class="copyable"><pre id="${id}" tabindex="0">${escapeHtml(text)}</pre><button type="button" data-copy="${id}" aria-live="polite">Copy</button></div>`;
}

function select(name: string, label: string, values: readonly string[], chosen: string, none: string): string {
  const options = values.map(
    (value) => `<option value="${value}"${value === chosen ? ' selected' : ''}>${value || none}</option>`,
  );
  return `<label>${label} <select name="${name}">${options.join('')}</select></label>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
