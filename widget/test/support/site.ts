import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PageOptions {
  /** A name below `.localhost`, or a `.test` one, which is no secure context. Default: `shop.localhost`. */
  readonly host?: string;
  /** Attributes of the script tag besides `src` and `async`. */
  readonly tag: Readonly<Record<string, string>>;
  /** Default: `widget.js`. */
  readonly script?: string;
  /** Content-Security-Policy. */
  readonly policy?: string;
  readonly lang?: string;
  /** In the head. */
  readonly styles?: string;
  /** Where the script's tag is; in the head it is not `async`, so that it runs before there is a body. Default: at the end of the body. */
  readonly tagIn?: 'head' | 'body';
  /** Instead of some text. */
  readonly body?: string;
}

/** A website with the widget on it: any number of pages, each at whatever origin it asks for. */
export class Site {
  readonly #pages: { readonly html: string; readonly policy: string | undefined }[] = [];
  readonly #server = createServer((request, response) => {
    const page = this.#pages[Number(request.url?.split(/[/?#]/)[1])];
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (page?.policy) response.setHeader('content-security-policy', page.policy);
    response.statusCode = page ? 200 : 404;
    response.end(page?.html ?? '<!doctype html><title>Nothing here</title>');
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  origin(host = 'shop.localhost'): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @returns the page's address */
  add(baseUrl: string, options: PageOptions): string {
    const number = this.#pages.push({ html: html(baseUrl, options), policy: options.policy }) - 1;
    return `${this.origin(options.host)}/${number}`;
  }
}

function html(baseUrl: string, options: PageOptions): string {
  const { tag, script = 'widget.js', lang = 'en', styles = '', body, tagIn = 'body' } = options;
  const attributes = Object.entries(tag).map(([name, value]) => ` ${name}="${value}"`);
  const tagOf = (how: string) => `<script src="${baseUrl}/${script}"${attributes.join('')}${how}></script>`;
  const text = body ?? '<h1>Antique lamps</h1><p>Made around 1900, wired anew.</p><a href="#more">More</a>';
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Antique lamps</title>
<link rel="icon" href="data:,">
${styles && `<style>${styles}</style>`}
${tagIn === 'head' ? tagOf('') : ''}
</head>
<body>
<main>${text}</main>
${tagIn === 'body' ? tagOf(' async') : ''}
</body>
</html>
`;
}
