import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { chooseEncoding } from './encoding.ts';

/** Smaller answers fit into the packets that are sent anyway (ten of 1 460 bytes before the first is acknowledged, RFC 6928). */
const MIN_BYTES = 8_192;
/** A board's 100 kB of JSON become 9 kB in about a millisecond; higher qualities take several times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const COMPRESS = {
  br: (text: string) => promisify(brotliCompress)(text, BROTLI),
  gzip: (text: string) => promisify(gzip)(text, { level: 4 }),
};

/**
 * Compresses long answers for clients that accept it. No attacker can learn their content from their length (BREACH). A request with a cookie that does not
 * come from the console's own pages is refused (identity/own-page.ts), and no other page sends a key.
 */
export function compressLongAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    // Files and streams are no texts; files are kept compressed (http/static-file.ts).
    if (typeof payload !== 'string' || payload.length < MIN_BYTES) return payload;
    reply.header('vary', 'Accept-Encoding');
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    if (encoding === 'identity') return payload;
    reply.header('content-encoding', encoding).removeHeader('content-length');
    return await COMPRESS[encoding](payload);
  });
}
