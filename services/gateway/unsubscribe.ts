import type { KeyObject } from 'node:crypto';
import { LANGUAGES, type Language } from '@worktrack/contracts/people/languages';
import type { Log } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Redis } from '@worktrack/runtime/redis/connection';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
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
 * The target of the address in each mail. A mail program POSTs to it (RFC 8058), and mail stops. A person who opens it is asked first, and so are programs that
 * open every link of a mail to look for malware.
 */
export function registerUnsubscribing(app: FastifyInstance, needs: UnsubscribeNeeds): void {
  app.register(async (own) => {
    limitTokenRequests(own, { ...needs, perAddress: needs.tokenRequestsPerAddress });
    // Whatever it is sent as, a form of either kind: the token is in the address.
    own.removeAllContentTypeParsers();
    own.addContentTypeParser('*', { parseAs: 'string', bodyLimit: PUBLIC_BODY_LIMIT_BYTES }, (_request, _text, done) =>
      done(null),
    );
    own.get(PATH, (request, reply) => {
      const { question, yes } = wordsFor(request, reply);
      return answer(reply, question, `<form method="post"><button>${yes}</button></form>`);
    });
    own.post<Asked>(PATH, async (request, reply) => {
      const { token } = request.query;
      const { unsubscribed } = await needs.clients.events.call(
        'notifications.unsubscribe',
        { token: typeof token === 'string' ? token.slice(0, MAX_TOKEN_LENGTH) : '' },
        { requestId: request.id, trace: request.trace, idempotencyKey: uuidv7() },
      );
      const { done, unknown } = wordsFor(request, reply);
      return unsubscribed ? answer(reply, done) : answer(reply.code(404), unknown);
    });
  });
}

const MAX_TOKEN_LENGTH = 200;

const WORDS: Readonly<Record<Language, Readonly<Record<'question' | 'yes' | 'done' | 'unknown', string>>>> = {
  en: {
    question: 'Get no more mail of notifications?',
    yes: 'No more mail',
    done: 'You get no more mail. The console has the setting to get it again.',
    unknown: 'This address is not complete, or too old. The console has the setting: Notifications.',
  },
  de: {
    question: 'Keine Benachrichtigungen mehr per E-Mail bekommen?',
    yes: 'Keine E-Mails mehr',
    done: 'Du bekommst keine E-Mails mehr. In der Konsole lassen sie sich wieder einschalten.',
    unknown:
      'Diese Adresse ist unvollständig oder zu alt. Die Einstellung findest du in der Konsole: Benachrichtigungen.',
  },
  tr: {
    question: 'Bildirimler artık e-postayla gönderilmesin mi?',
    yes: 'E-posta almayı bırak',
    done: 'Artık e-posta almayacaksınız. Konsoldan yeniden açabilirsiniz.',
    unknown: 'Bu adres eksik veya çok eski. Ayar konsolda: Bildirimler.',
  },
  ja: {
    question: '通知メールの配信を停止しますか？',
    yes: 'メールの配信停止',
    done: '今後、メールは送信されません。コンソールで再開できます。',
    unknown: 'この URL は不完全か、期限切れです。コンソールの「通知」で設定できます。',
  },
};

/** In the language that the browser asks for: who opens it is not signed in. */
function wordsFor(request: FastifyRequest, reply: FastifyReply): (typeof WORDS)[Language] {
  const language = (new Negotiator(request).language([...LANGUAGES]) ?? 'en') as Language;
  reply.headers({ 'content-language': language, vary: 'Accept-Language' });
  return WORDS[language];
}

function answer(reply: FastifyReply, words: string, below = ''): FastifyReply {
  return reply
    .headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' })
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="${reply.getHeader('content-language')}"><meta name="viewport" content="width=device-width"><title>worktrack</title><p>${words}</p>${below}</html>\n`,
    );
}
