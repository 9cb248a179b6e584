import { type IncomingHttpHeaders, request } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Of an answer in the envelope. */
  readonly body: { readonly data?: never; readonly error?: { readonly code: string; readonly message: string } };
}

/** A request with exactly these headers: those that a browser sets, and that `fetch` does not let anybody set. */
export function rawRequest(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers['content-type']?.startsWith('application/json');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: isJson && text !== '' ? JSON.parse(text) : {},
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What a browser sends with a request of the console's own page. */
export function ownPage(baseUrl: string): Record<string, string> {
  return { origin: new URL(baseUrl).origin, 'sec-fetch-site': 'same-origin' };
}

/** Signs in as the console does. @returns the value of `Cookie` for further requests */
export async function signIn(
  baseUrl: string,
  by: { readonly code: string } | { readonly apiKey: string },
): Promise<string> {
  const headers = { ...ownPage(baseUrl), 'content-type': 'application/json' };
  const answer = await rawRequest(`${baseUrl}/console/session`, 'POST', headers, JSON.stringify(by));
  if (answer.status !== 204) throw new Error(`The sign-in was refused: ${answer.status} ${answer.text}`);
  return (answer.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';', 1)[0]).join('; ');
}
