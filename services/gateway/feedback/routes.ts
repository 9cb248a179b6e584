import { OperationError } from '@worktrack/contracts/errors';
import type { feedbackContract } from '@worktrack/contracts/feedback/contract';
import type { AdmittedSource } from '@worktrack/contracts/feedback/intake';
import {
  type Accepted,
  type Bootstrap,
  IngestBody,
  type Ingested,
  PublicKeyQuery,
} from '@worktrack/contracts/feedback/public-api';
import { DEFAULT_DEADLINE_MS } from '@worktrack/contracts/operation';
import type { CallOptions, Log, ServiceClient } from '@worktrack/rpc/types';
import { secretKey } from '@worktrack/runtime/process/key-ring';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { parseInput } from '@worktrack/runtime/validation/parse';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PUBLIC_BODY_LIMIT_BYTES } from '../http/body/body-limit.ts';
import { JSON_TYPE, successBody } from '../http/envelope.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { parseQuery } from '../http/query.ts';
import { rateHeaders } from '../http/rate-headers.ts';
import { limitRefusedRequests } from '../limits/refused-requests.ts';
import { Captchas, captchaConfig, captchaRequired } from './captchas.ts';
import { answerCrossOrigin, answerPreflight, PUBLIC_PATHS } from './cors.ts';
import { type Admitted, Gate } from './gate.ts';
import { itemIdOf } from './item-id.ts';
import { Admissions } from './limits/admission.ts';
import { Bulkhead } from './limits/bulkhead.ts';
import { DailyQuotas, type QuotaUsedUp, quotaUsedUp } from './limits/daily-quota.ts';
import { Outcomes } from './outcomes.ts';
import type { FeedbackSettings } from './settings.ts';
import { KnownSources } from './spool/known-sources.ts';
import { isAway, type Submission } from './spool/lane.ts';
import { MAX_WAIT_BEFORE_SPOOLING_MS, type Spool } from './spool/spool.ts';
import { issueToken, verifyToken } from './widget-token.ts';

const BOOTSTRAP = '/feedback/widget/bootstrap';
const CHALLENGE = '/feedback/widget/challenge';
const INGEST = '/feedback/ingest';

const NoQuery = z.strictObject({});

export interface FeedbackNeeds {
  readonly feedback: ServiceClient<typeof feedbackContract>;
  readonly redis: Redis;
  readonly log: Log;
  readonly settings: FeedbackSettings;
  readonly spool: Spool | undefined;
}

/** Without an output it is in the spool. */
interface AcceptedSubmission {
  readonly output?: Ingested;
  readonly how: 'stored' | 'spooled' | 'repeated';
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
  const bulkhead = new Bulkhead(settings.FEEDBACK_CONCURRENCY_BESIDE_CALLS);
  const secrets = settings.WIDGET_TOKEN_SECRETS;
  const captcha = captchaConfig(settings, CHALLENGE);
  const captchas = new Captchas(needs);
  const quotas = new DailyQuotas({ redis, log });
  const outcomes = new Outcomes(feedback, log);
  const gate = new Gate(admissions, addressSecret, (publicKey) => outcomes.found(publicKey));
  app.addHook('onClose', () => outcomes.stop());

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
    {
      // Nothing can be sent from a form that does not open.
      onError: async ({ query }, _reply, error) => {
        if (!(error instanceof OperationError) || error.code !== 'ORIGIN_NOT_ALLOWED') return;
        outcomes.refused((query as { readonly publicKey?: unknown }).publicKey, error);
      },
    },
    bounded(async (request, reply) => {
      const { publicKey } = parseQuery(PublicKeyQuery, request.query);
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
      const { publicKey } = parseQuery(PublicKeyQuery, request.query);
      const { source } = await gate.enter('challenge', publicKey, request, reply);
      reply.header('content-type', JSON_TYPE);
      const options = { ...callOptions(request), deadlineMs: DEFAULT_DEADLINE_MS };
      return successBody(await captchas.challenge(source.id, options));
    }),
  );

  app.post(
    INGEST,
    {
      bodyLimit: PUBLIC_BODY_LIMIT_BYTES,
      onError: async ({ body }, _reply, error) =>
        outcomes.refused((body as Partial<IngestBody> | null | undefined)?.publicKey, error),
    },
    bounded(async (request, reply, startedAtMs) => {
      parseQuery(NoQuery, request.query);
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
      const { output, how } = await withinQuota(admitted, reply, async (usedUp) => {
        if (usedUp && idempotencyKey === undefined) throw usedUp;
        if (source.requireCaptcha) {
          if (captchaToken === undefined) throw captchaRequired();
          // A hosted captcha is a third-party server, which may take seconds.
          const presented = { itemId, sourceId: source.id, origin, captchaToken };
          await bulkhead.outside(() => captchas.verify(presented, options()));
        }
        const { organizationId, id: sourceId } = source;
        const given = { itemId, organizationId, sourceId, origin, ipHash: client, ...submission };
        const call = { ...options(), idempotencyKey: itemId };
        return usedUp ? await acceptedBefore(given, call, usedUp) : await storeOrSpool(given, call);
      });
      outcomes.accepted(publicKey, how);
      reply.code(output ? 201 : 202).header('content-type', JSON_TYPE);
      // Without its own key, the client cannot have asked for a replay: the message was delivered twice internally.
      if (output && how === 'repeated' && idempotencyKey !== undefined) reply.header('idempotency-replayed', 'true');
      return successBody(output ?? ({ status: 'accepted' } satisfies Accepted));
    }),
  );

  /** Only submissions that are accepted for the first time count. `usedUp`: only those accepted before are answered. */
  async function withinQuota(
    { source, rates }: Admitted,
    reply: FastifyReply,
    accept: (usedUp?: QuotaUsedUp) => Promise<AcceptedSubmission>,
  ): Promise<AcceptedSubmission> {
    const share = await quotas.take(source);
    if (!share) return await accept();
    reply.headers(rateHeaders([...rates, share.rate]));
    let accepted: AcceptedSubmission | undefined;
    try {
      accepted = await accept(share.isBeyond ? quotaUsedUp(share.rate) : undefined);
      return accepted;
    } finally {
      if (!accepted || accepted.how === 'repeated') await share.giveBack();
    }
  }

  /** @throws `usedUp`, if that cannot be known, too; IDEMPOTENCY_KEY_REUSED */
  async function acceptedBefore(
    given: Submission,
    options: CallOptions,
    usedUp: QuotaUsedUp,
  ): Promise<AcceptedSubmission> {
    if (spool?.holds(given)) return { how: 'repeated' };
    try {
      return {
        output: await feedback.call('feedback.ingest', { ...given, onlyAgain: true }, options),
        how: 'repeated',
      };
    } catch (error) {
      throw error instanceof OperationError && error.code === 'IDEMPOTENCY_KEY_REUSED' ? error : usedUp;
    }
  }

  async function storeOrSpool(
    given: Submission,
    options: CallOptions & { readonly deadlineMs: number },
  ): Promise<AcceptedSubmission> {
    if (spool?.isAway) return { how: await spool.accept(given) };
    const deadlineMs = spool ? Math.min(options.deadlineMs, MAX_WAIT_BEFORE_SPOOLING_MS) : options.deadlineMs;
    try {
      const { output, replayed } = await feedback.exchange('feedback.ingest', given, { ...options, deadlineMs });
      return { output, how: replayed ? 'repeated' : 'stored' };
    } catch (error) {
      if (!spool || !isAway(error)) throw error;
      return { how: await spool.accept(given) };
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

function lookUpOf(feedback: FeedbackNeeds['feedback']) {
  return async (publicKey: string, requestId: string): Promise<AdmittedSource | null> =>
    (await feedback.call('sources.byPublicKey', { publicKey }, { requestId })).source;
}

/** While the feedback service cannot be asked, a source is what it last was. */
function lookUpKnown({ feedback, redis }: FeedbackNeeds, spool: Spool): ReturnType<typeof lookUpOf> {
  const knownSources = new KnownSources(redis);
  const lookUp = lookUpOf(feedback);
  return async (publicKey, requestId) => {
    const earlier = spool.isAway ? await knownSources.find(publicKey) : undefined;
    if (earlier) return earlier;
    try {
      const source = await lookUp(publicKey, requestId);
      knownSources.keep(publicKey, source);
      return source;
    } catch (error) {
      const last = isAway(error) ? await knownSources.find(publicKey) : undefined;
      if (!last) throw error;
      return last;
    }
  };
}

function callOptions(request: FastifyRequest) {
  return { requestId: request.id, trace: request.trace };
}
