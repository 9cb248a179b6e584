/** How the widget looks on a page; unless chosen, it follows the visitor's settings (docs/widget.md). */
export interface WidgetLook {
  readonly locale?: string;
  readonly theme?: string;
  readonly position?: string;
  readonly accent?: string;
}

/** The line of HTML that puts the widget on a page. */
export function widgetTag(publicKey: string, look: WidgetLook = {}): string {
  const attributes = Object.entries({ 'public-key': publicKey, ...look })
    .filter(([, value]) => value)
    .map(([name, value]) => ` data-${name}="${escaped(value)}"`);
  return `<script src="${location.origin}/widget.js"${attributes.join('')} async></script>`;
}

function escaped(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
