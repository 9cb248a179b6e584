import { OperationError } from '@worktrack/contracts/errors';
import type { feedbackContract } from '@worktrack/contracts/feedback/contract';
import type { AdmittedSource } from '@worktrack/contracts/feedback/intake';
import { type Accepted, type Bootstrap, IngestBody, PublicKeyQuery } from '@worktrack/contracts/feedback/public-api';
import { DEFAULT_DEADLINE_MS } from '@worktrack/contracts/operation';
import type { CallOptions, Log, ServiceClient } from '@worktrack/rpc/types';
import { secretKey } from '@worktrack/runtime/process/key-ring';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { parseInput } from '@worktrack/runtime/validation/parse';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PUBLIC_BODY_LIMIT_BYTES } from '../http/body-limit.ts';
import { JSON_TYPE, successBody } from '../http/envelope.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { traceparentOf } from '../http/traceparent.ts';
import { limitRefusedRequests } from '../limits/refused-requests.ts';
import { Admissions } from './admission.ts';
import { Bulkhead } from './bulkhead.ts';
import { answerCrossOrigin, answerPreflight, PUBLIC_PATHS } from './cors.ts';
import { type Admitted, Gate } from './gate.ts';
import { itemIdOf } from './item-id.ts';
import type { FeedbackSettings } from './settings.ts';
import { KnownSources } from './spool/known-sources.ts';
import { isAway, type Spool, type Submission } from './spool/spool.ts';
import { issueToken, verifyToken } from './widget-token.ts';

const BOOTSTRAP = '/feedback/widget/bootstrap';
const CHALLENGE = '/feedback/widget/challenge';
const INGEST = '/feedback/ingest';

/** A broker that hangs must not make every visitor wait as long as the others' calls do. */
const MAX_WAIT_BEFORE_SPOOLING_MS = 3_000;

const NoQuery = z.strictObject({});

export interface FeedbackNeeds {
  readonly feedback: ServiceClient<typeof feedbackContract>;
  readonly redis: Redis;
  readonly log: Log;
  readonly settings: FeedbackSettings;
  readonly spool: Spool | undefined;
}

/** The public endpoints: no API key, any origin that its source allows. */
export function registerFeedbackRoutes(app: FastifyInstance, needs: FeedbackNeeds): void {
  const { feedback, redis, log, settings, spool } = needs;
  const admissions = new Admissions({
    redis,
    log,
    limits: {
      ingest: {
        perIp: settings.FEEDBACK_RATE_PER_IP,
        perSource: settings.FEEDBACK_RATE_PER_SOURCE,
        windowSeconds: settings.FEEDBACK_RATE_WINDOW_SECONDS,
      },
      bootstrapPerIp: settings.FEEDBACK_BOOTSTRAP_RATE_PER_IP,
    },
    lookUp: spool ? lookUpKnown(needs, spool) : lookUpOf(feedback),
  });
  const addressSecret = secretKey(settings.IP_HASH_SECRET);
  const gate = new Gate(admissions, addressSecret);
  const bulkhead = new Bulkhead(settings.FEEDBACK_CONCURRENCY_BESIDE_CALLS);
  const secrets = settings.WIDGET_TOKEN_SECRETS;
  const captcha = captchaConfig(settings);

  // After the key lookup: a header alone, which anybody can send, does not mean that somebody is at work.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.identity !== null) bulkhead.noteCall();
    done(null, payload);
  });
  answerCrossOrigin(app);
  limitRefusedRequests(app, {
    redis,
    log,
    paths: PUBLIC_PATHS,
    perAddress: settings.FEEDBACK_REFUSALS_PER_IP,
    addressSecret,
  });
  answerPreflight(app, BOOTSTRAP, 'GET');
  answerPreflight(app, CHALLENGE, 'GET');
  answerPreflight(app, INGEST, 'POST');

  /** Every public route goes through the bulkhead; its deadline starts before. */
  const bounded =
    (answer: (request: FastifyRequest, reply: FastifyReply, startedAtMs: number) => Promise<string>) =>
    (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
      const startedAtMs = performance.now();
      return bulkhead.run(() => answer(request, reply, startedAtMs));
    };

  app.get(
    BOOTSTRAP,
    bounded(async (request, reply) => {
      const { publicKey } = parseInput(PublicKeyQuery, request.query);
      const { source, origin } = await gate.enter('bootstrap', publicKey, request, reply);
      const { requireCaptcha, type, name } = source;
      reply.header('content-type', JSON_TYPE);
      return successBody({
        source: { publicKey, type, name },
        ...issueToken({ publicKey, origin }, secrets, Date.now()),
        config: { requireCaptcha, ...(requireCaptcha && { captcha }) },
      } satisfies Bootstrap);
    }),
  );

  app.get(
    CHALLENGE,
    bounded(async (request, reply) => {
      const { publicKey } = parseInput(PublicKeyQuery, request.query);
      const { source } = await gate.enter('challenge', publicKey, request, reply);
      reply.header('content-type', JSON_TYPE);
      return successBody(await feedback.call('captcha.challenge', { sourceId: source.id }, callOptions(request)));
    }),
  );

  app.post(
    INGEST,
    { bodyLimit: PUBLIC_BODY_LIMIT_BYTES },
    bounded(async (request, reply, startedAtMs) => {
      parseInput(NoQuery, request.query);
      const { publicKey, token, captchaToken, ...submission } = parseInput(IngestBody, request.body);
      const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key']);
      const admitted = await gate.enter('ingest', publicKey, request, reply);
      const { source, origin, client } = admitted;
      requireToken(token, publicKey, admitted);

      const itemId = itemIdOf(source.id, idempotencyKey);
      const options = () => ({
        ...callOptions(request),
        deadlineMs: Math.max(1, DEFAULT_DEADLINE_MS - (performance.now() - startedAtMs)),
      });
      if (source.requireCaptcha) {
        if (captchaToken === undefined) {
          throw new OperationError(
            'CAPTCHA_REQUIRED',
            'This source requires a captcha: solve one and send its solution as captchaToken. The bootstrap response says which.',
          );
        }
        // A hosted captcha is a third-party server, which may take seconds.
        await bulkhead.outside(() =>
          feedback.call('captcha.verify', { itemId, sourceId: source.id, origin, captchaToken }, options()),
        );
      }
      const { organizationId, id: sourceId } = source;
      const given = { itemId, organizationId, sourceId, origin, ipHash: client, ...submission };
      const stored = await storeOrSpool(given, { ...options(), idempotencyKey: itemId });
      if (stored === 'spooled') {
        reply.code(202).header('content-type', JSON_TYPE);
        return successBody({ status: 'accepted' } satisfies Accepted);
      }
      const { output, replayed } = stored;
      reply.code(201).header('content-type', JSON_TYPE);
      // Without its own key, the client cannot have asked for a replay: the message was delivered twice internally.
      if (replayed && idempotencyKey !== undefined) reply.header('idempotency-replayed', 'true');
      return successBody(output);
    }),
  );

  async function storeOrSpool(given: Submission, options: CallOptions & { readonly deadlineMs: number }) {
    if (spool?.isAway) return await intoSpool(spool, given);
    const deadlineMs = spool ? Math.min(options.deadlineMs, MAX_WAIT_BEFORE_SPOOLING_MS) : options.deadlineMs;
    try {
      return await feedback.exchange('feedback.ingest', given, { ...options, deadlineMs });
    } catch (error) {
      if (!spool || !isAway(error)) throw error;
      return await intoSpool(spool, given);
    }
  }

  function requireToken(token: string, publicKey: string, { origin }: Admitted): void {
    switch (verifyToken(token, { publicKey, origin }, secrets, Date.now())) {
      case 'valid':
        return;
      case 'expired':
        throw new OperationError(
          'WIDGET_TOKEN_EXPIRED',
          `The widget token has expired. Get a new one: GET ${BOOTSTRAP}.`,
        );
      case 'invalid':
        throw new OperationError(
          'WIDGET_TOKEN_INVALID',
          `The widget token was not issued for this publicKey and this origin. Get one from here: GET ${BOOTSTRAP}.`,
        );
    }
  }
}

async function intoSpool(spool: Spool, given: Submission): Promise<'spooled'> {
  await spool.accept(given);
  return 'spooled';
}

function lookUpOf(feedback: FeedbackNeeds['feedback']) {
  return async (publicKey: string, requestId: string): Promise<AdmittedSource | null> =>
    (await feedback.call('sources.byPublicKey', { publicKey }, { requestId })).source;
}

/** While the feedback service cannot be asked, a source is what it last was. */
function lookUpKnown({ feedback, redis }: FeedbackNeeds, spool: Spool): ReturnType<typeof lookUpOf> {
  const known = new KnownSources(redis);
  const lookUp = lookUpOf(feedback);
  return async (publicKey, requestId) => {
    const earlier = spool.isAway ? await known.find(publicKey) : undefined;
    if (earlier) return earlier;
    try {
      const source = await lookUp(publicKey, requestId);
      known.keep(publicKey, source);
      return source;
    } catch (error) {
      const last = isAway(error) ? await known.find(publicKey) : undefined;
      if (!last) throw error;
      return last;
    }
  };
}

function callOptions(request: FastifyRequest) {
  return { requestId: request.id, traceparent: traceparentOf(request) };
}

function captchaConfig(settings: FeedbackSettings): Bootstrap['config']['captcha'] {
  const { CAPTCHA_PROVIDER: provider, CAPTCHA_SITE_KEY: siteKey } = settings;
  if (provider === 'altcha') return { provider, challengePath: CHALLENGE };
  if (!siteKey) throw new Error(`CAPTCHA_SITE_KEY: is missing; ${provider} needs it in the page.`);
  return { provider, siteKey };
}
