import type { KeyObject } from 'node:crypto';
import type { Log } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Redis } from '@worktrack/runtime/redis/connection';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Clients } from './clients.ts';
import { PUBLIC_BODY_LIMIT_BYTES } from './http/body/body-limit.ts';
import { limitTokenRequests } from './limits/token-requests.ts';

const PATH = '/notifications/unsubscribe';
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

interface Asked {
  Querystring: { readonly token?: unknown };
}

interface UnsubscribeNeeds {
  readonly clients: Pick<Clients, 'events'>;
  readonly redis: Redis;
  readonly log: Log;
  readonly tokenRequestsPerAddress: number;
  readonly addressSecret: KeyObject;
}

/**
 * Where the address in each mail leads. A mail program POSTs to it (RFC 8058), and mail stops; a person who opens it is asked first, and so are the programs that open
 * every link of a mail to look for malware.
 */
export function registerUnsubscribing(app: FastifyInstance, needs: UnsubscribeNeeds): void {
  app.register(async (own) => {
    limitTokenRequests(own, { ...needs, perAddress: needs.tokenRequestsPerAddress });
    // Whatever it is sent as, a form of either kind: the token is in the address.
    own.removeAllContentTypeParsers();
    own.addContentTypeParser('*', { parseAs: 'string', bodyLimit: PUBLIC_BODY_LIMIT_BYTES }, (_request, _text, done) =>
      done(null),
    );
    own.get(PATH, (_request, reply) =>
      answer(reply, 'Get no more mail of notifications?', '<form method="post"><button>No more mail</button></form>'),
    );
    own.post<Asked>(PATH, async (request, reply) => {
      const { token } = request.query;
      const { unsubscribed } = await needs.clients.events.call(
        'notifications.unsubscribe',
        { token: typeof token === 'string' ? token.slice(0, MAX_TOKEN_LENGTH) : '' },
        { requestId: request.id, trace: request.trace, idempotencyKey: uuidv7() },
      );
      if (unsubscribed) return answer(reply, 'You get no more mail. The console has the setting to get it again.');
      return answer(
        reply.code(404),
        'This address is not complete, or too old. The console has the setting: Notifications.',
      );
    });
  });
}

const MAX_TOKEN_LENGTH = 200;

function answer(reply: FastifyReply, words: string, below = ''): FastifyReply {
  return reply
    .headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' })
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>worktrack</title><p>${words}</p>${below}</html>\n`,
    );
}
