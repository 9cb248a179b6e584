import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A page of another origin than the API's, as a customer's website is, with the widget on it.
 * @returns its address
 */
export async function serveWidgetPage(
  baseUrl: string,
  publicKey: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const page = html(baseUrl, publicKey);
  const server = createServer((request, response) => {
    if (request.url !== '/') {
      response.statusCode = 404;
      response.end();
      return;
    }
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(page);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function html(baseUrl: string, publicKey: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A page with the feedback widget</title>
<style>
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark; }
  pre { overflow-x: auto; padding: 1rem; border: 1px solid; border-radius: .5rem; }
</style>
</head>
<body>
<h1>A page with the feedback widget</h1>
<p>This page stands for your website. All that it needs is this one line:</p>
<pre><code>&lt;script src="${baseUrl}/widget.js" data-public-key="${publicKey}" async&gt;&lt;/script&gt;</code></pre>
<p>What you send here is in the inbox at once: <code>GET ${baseUrl}/api/feedback/items</code>.</p>
<script src="${baseUrl}/widget.js" data-public-key="${publicKey}" async></script>
</body>
</html>
`;
}
