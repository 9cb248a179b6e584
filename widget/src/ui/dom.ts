type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

const SVG = 'http://www.w3.org/2000/svg';

/** An element with its attributes and children. Built node by node: a page under Trusted Types refuses markup in strings. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
}

/** Line icons on a grid of 24, drawn in the colour of the surrounding text; they say nothing that the text does not. */
const ICONS = {
  launcher: 'M21 12a8 8 0 0 1-8 8H4l1.7-3.4A8 8 0 1 1 21 12ZM9 10.5h8M9 14h5',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  alert: 'M12 8v4.5M12 16h.01M12 3.5a8.5 8.5 0 1 1 0 17a8.5 8.5 0 0 1 0-17Z',
  bug: 'M9 8V7a3 3 0 0 1 6 0v1M8 8h8v6a4 4 0 0 1-8 0ZM12 11v7M4 9l4 2M20 9l-4 2M4 19l4-3M20 19l-4-3M3.5 14H8M16 14h4.5',
  feature_request: 'M12 3l1.9 5.1L19 10l-5.1 1.9L12 17l-1.9-5.1L5 10l5.1-1.9ZM19 15v5M16.5 17.5h5',
  improvement: 'M4 17l5.5-5.5l3.5 3.5L20 8M15 8h5v5',
  question: 'M9.3 9.3a2.8 2.8 0 1 1 4 2.6c-.9.5-1.3 1-1.3 2M12 17h.01M12 3.5a8.5 8.5 0 1 1 0 17a8.5 8.5 0 0 1 0-17Z',
  praise: 'M12 20s-7.5-4.6-7.5-10A4.2 4.2 0 0 1 12 7.5A4.2 4.2 0 0 1 19.5 10c0 5.4-7.5 10-7.5 10Z',
  other: 'M4.5 6.5h15M4.5 12h15M4.5 17.5h9',
} as const;

export function icon(name: keyof typeof ICONS): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  setAttributes(svg, { viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false', class: `icon icon-${name}` });
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}
