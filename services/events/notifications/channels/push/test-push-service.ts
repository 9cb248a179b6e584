import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, randomUUID, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { PushPayload } from '@worktrack/contracts/events/push';

interface Pushed extends PushPayload {
  readonly headers: IncomingHttpHeaders;
  /** Of the token by which the sender shows who it is (RFC 8292). */
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
}

interface TestBrowser {
  readonly subscription: {
    readonly endpoint: string;
    readonly keys: { readonly p256dh: string; readonly auth: string };
  };
  /** What it would show, in order. */
  readonly received: Pushed[];
  /** What its push service says to the next messages; 201 after that. */
  readonly answers: number[];
}

const TAG_BYTES = 16;

/** Browsers and their push service, on the loopback address: what is pushed is read as RFC 8188 and 8291 say, by node:crypto alone. */
export class TestPushService {
  readonly #server: Server;
  readonly #publicKey: string;
  readonly #browsers = new Map<string, TestBrowser & { read(body: Buffer): PushPayload }>();
  /** What was wrong with messages. */
  readonly faults: unknown[] = [];

  private constructor(publicKey: string) {
    this.#publicKey = publicKey;
    this.#server = createServer(async (request, response) => {
      const browser = this.#browsers.get(request.url ?? '');
      try {
        if (!browser) throw new Error(`Nobody is at ${request.url}.`);
        const claims = this.#claimsOf(request.headers.authorization ?? '');
        browser.received.push({ ...browser.read(await buffer(request)), headers: request.headers, claims });
        response.writeHead(browser.answers.shift() ?? 201).end();
      } catch (error) {
        this.faults.push(error);
        response.writeHead(400).end();
      }
    });
  }

  /** @param publicKey of those whose messages it takes */
  static async start(publicKey: string): Promise<TestPushService> {
    const service = new TestPushService(publicKey);
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  browser(): TestBrowser {
    const path = `/send/${randomUUID()}`;
    const ecdh = createECDH('prime256v1');
    const p256dh = ecdh.generateKeys();
    const auth = randomBytes(16);
    const subscription = {
      endpoint: this.origin + path,
      keys: { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') },
    };
    const read = (body: Buffer): PushPayload => {
      // RFC 8188, 2.1: salt, size of a record, and the sender's public key as the id of the key.
      const salt = body.subarray(0, 16);
      const sender = body.subarray(21, 21 + body.readUInt8(20));
      const sealed = body.subarray(21 + sender.length);
      if (sealed.length > body.readUInt32BE(16)) throw new Error('It is more than one record.');
      const derived = (from: Uint8Array, with_: Uint8Array, info: string | Buffer, length: number) =>
        Buffer.from(hkdfSync('sha256', from, with_, info, length));
      // RFC 8291, 3.4.
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, sender]);
      const secret = derived(ecdh.computeSecret(sender), auth, info, 32);
      const key = derived(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
      const nonce = derived(secret, salt, 'Content-Encoding: nonce\0', 12);
      const cipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-TAG_BYTES));
      const padded = Buffer.concat([cipher.update(sealed.subarray(0, -TAG_BYTES)), cipher.final()]);
      return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString()) as PushPayload;
    };
    const browser = { subscription, received: [], answers: [], read };
    this.#browsers.set(path, browser);
    return browser;
  }

  /** Of `vapid t=<JWT>, k=<key>`. @throws Error unless the key signed it */
  #claimsOf(authorization: string): Pushed['claims'] {
    const [, token = '', key] = /^vapid t=([^,]+), ?k=(\S+)$/.exec(authorization) ?? [];
    if (key !== this.#publicKey) throw new Error(`It is of another sender: ${authorization}`);
    const [header = '', claims = '', signature = ''] = token.split('.');
    const point = Buffer.from(key, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
    const jwk = { kty: 'EC', crv: 'P-256', x, y } as const;
    const isSigned = verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    if (!isSigned) throw new Error('The key did not sign it.');
    return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Pushed['claims'];
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
