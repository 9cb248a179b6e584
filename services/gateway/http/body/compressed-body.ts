import { OperationError } from '@worktrack/contracts/errors';
import type { FastifyInstance } from 'fastify';

/** Read as it is, it would be refused as malformed, which tells nobody what to change. RFC 9110, 15.5.16: the answer says what is accepted. */
export function refuseCompressedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined || encoding.toLowerCase() === 'identity') return done();
    reply.header('accept-encoding', 'identity');
    done(new OperationError('UNSUPPORTED_MEDIA_TYPE', 'Send the body uncompressed, without Content-Encoding.'));
  });
}
