import { OperationError } from '@worktrack/contracts/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PUBLIC_BODY_LIMIT_BYTES } from '../http/body/body-limit.ts';
import { JSON_TYPE } from '../http/envelope.ts';
import { OAuthFailure, oauthFailureBody, refuse } from './failure.ts';

const NO_FORM = 'Send the parameters as a form, with Content-Type: application/x-www-form-urlencoded.';

/** Takes forms, and nothing else. For a context of its own: no other route takes them. */
export function takeForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
    done(null, new URLSearchParams(text as string)),
  );
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _text, done) =>
    done(new OperationError('UNSUPPORTED_MEDIA_TYPE', NO_FORM)),
  );
}

/** A route that is asked by a form, and answers with JSON or fails in OAuth's form. */
export function formRoute(
  app: FastifyInstance,
  url: string,
  answer: (form: URLSearchParams, request: FastifyRequest, reply: FastifyReply) => Promise<object>,
): void {
  app.route({
    method: 'POST',
    url,
    bodyLimit: PUBLIC_BODY_LIMIT_BYTES,
    config: { failureBody: oauthFailureBody },
    handler: async (request, reply) => {
      reply.header('content-type', JSON_TYPE);
      try {
        const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
        return JSON.stringify(await answer(form, request, reply));
      } catch (error) {
        if (!(error instanceof OAuthFailure)) throw error;
        return refuse(error, request, reply);
      }
    },
  });
}

/** The only parameters that may come more than once (RFC 8693, 2.1; RFC 6749, 3.2). */
const REPEATABLE: ReadonlySet<string> = new Set(['resource', 'audience']);

/** A parameter without a value counts as left out (RFC 6749, 3.2). @throws OAuthFailure if one comes twice */
export function onceEach(form: URLSearchParams): Given {
  if (comesTwice(form)) throw new OAuthFailure('invalid_request', 'Send each parameter once.');
  return (name) => form.get(name) || undefined;
}

export type Given = (name: string) => string | undefined;

/** @param which what it may be, if that is short */
export function required(given: Given, name: string, which?: readonly string[]): string {
  const value = given(name);
  if (value === undefined || (which && !which.includes(value))) {
    throw new OAuthFailure('invalid_request', `Send ${name}${which ? `: ${which.join(' or ')}` : ''}.`);
  }
  return value;
}

export function comesTwice(form: URLSearchParams): boolean {
  const names = [...form.keys()].filter((name) => !REPEATABLE.has(name));
  return new Set(names).size < names.length;
}
