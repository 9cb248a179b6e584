import type { KeyObject } from 'node:crypto';
import type { Health } from '@worktrack/contracts/gateway/health';
import type { Operation } from '@worktrack/contracts/operation';
import type { Log } from '@worktrack/rpc/types';
import { secretKey } from '@worktrack/runtime/process/key-ring';
import type { Readiness } from '@worktrack/runtime/process/service';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { registerAttachmentRoutes } from './attachments/routes.ts';
import type { Refusals } from './audit/refusals.ts';
import { registerAuditRoutes } from './audit/routes.ts';
import { type CommandFile, registerCommandRoutes } from './cli/routes.ts';
import type { Clients } from './clients.ts';
import type { LocalUploads } from './compositions/composition.ts';
import { registerConnectEndpoints } from './connect/endpoints.ts';
import { registerMetadata } from './connect/metadata.ts';
import { registerRegistration } from './connect/register.ts';
import type { ConnectionSteps } from './connect/steps.ts';
import type { ConsoleFiles } from './console/files.ts';
import { registerConsole } from './console/routes.ts';
import { registerSession } from './console/session.ts';
import type { LiveLog } from './events/live-log.ts';
import { registerEventStream } from './events/routes.ts';
import { registerFeedbackRoutes } from './feedback/routes.ts';
import type { FeedbackSettings } from './feedback/settings.ts';
import type { Spool } from './feedback/spool/spool.ts';
import { BODY_LIMIT_BYTES } from './http/body/body-limit.ts';
import { compressLongAnswers } from './http/body/compress.ts';
import { refuseCompressedBodies } from './http/body/compressed-body.ts';
import { parseJsonBody, textOf } from './http/body/json-body.ts';
import { limitSlowBodies } from './http/body/slow-body.ts';
import { discardUnreadBodies } from './http/body/unread-body.ts';
import { answerClientError, refuseWhatNodeWould } from './http/client-error.ts';
import { failureBody, failureHeaders, JSON_TYPE, statusOf } from './http/envelope.ts';
import { failureOf } from './http/failure.ts';
import { tellOfStop } from './http/gone.ts';
import { registerHealth } from './http/health.ts';
import { answerOtherMethods, nothingHere } from './http/methods.ts';
import { observeRequests } from './http/observe.ts';
import { requestIdOf } from './http/request-id.ts';
import { senderOf } from './http/sender.ts';
import type { Authenticator } from './identity/authenticate.ts';
import { decorateRequests } from './identity/authorize.ts';
import { shareCallsFairly } from './limits/call-places.ts';
import type { FairShareLimits } from './limits/fair-share.ts';
import type { Cancellations } from './mcp/cancellations.ts';
import { registerMcpEndpoints } from './mcp/endpoint.ts';
import { registerTokenEndpoint } from './oauth/token.ts';
import { registerDocumentation } from './openapi/docs-page.ts';
import { createPerform } from './perform.ts';
import { registerRestRoutes } from './rest/routes.ts';
import { registerUnsubscribing } from './unsubscribe.ts';
import type { WidgetFiles } from './widget/files.ts';
import { registerWidgetRoutes } from './widget/routes.ts';

/** From a connection's first byte to the end of a request's head. */
const HEADERS_TIMEOUT_MS = 15_000;
/** How often Node looks for connections that are too slow; its default is every 30 s. */
const SLOW_CHECK_EVERY_MS = 2_000;
/** For a whole request, including the upload of a 25 MiB attachment over a slow line. */
const REQUEST_TIMEOUT_MS = 300_000;
const MAX_HEADER_BYTES = 16_384;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route carries out: a refusal is entered under its name. */
    operation?: Operation;
  }
}

/** For apps that people connect. */
interface ConnectSettings {
  readonly steps: ConnectionSteps;
  /** Makes the next tokens of a refresh token. */
  readonly refreshSecret: KeyObject;
  /** Whether clients may register themselves, and how many an hour and address. */
  readonly allowsRegistration: boolean;
  readonly registrationsPerAddress: number;
}

export interface GatewayNeeds {
  readonly authenticator: Authenticator;
  readonly cancellations: Cancellations;
  readonly clients: Clients;
  readonly refusals: Refusals;
  readonly uploads: LocalUploads;
  readonly health: () => Promise<Health>;
  readonly redis: Redis;
  readonly liveLog: LiveLog;
  readonly log: Log;
  /** For each request's line; see http/observe.ts. */
  readonly requestLog: Log;
  /** Whether the trace context of a request decides whether it is sampled. */
  readonly trustsTraceparent: boolean;
  /** Addresses and CIDR ranges of the proxies whose X-Forwarded-For is trusted; none by default. */
  readonly trustedProxies: readonly string[];
  /** Origins of pages that may use `/mcp`, in addition to those on this machine. */
  readonly allowedOrigins: ReadonlySet<string>;
  readonly publicUrl: string | undefined;
  readonly feedbackSettings: FeedbackSettings;
  readonly spool: Spool | undefined;
  readonly callLimits: FairShareLimits;
  readonly tokenRequestsPerAddress: number;
  readonly connect: ConnectSettings;
  readonly console: ConsoleFiles;
  readonly widget: WidgetFiles;
  readonly command: CommandFile;
  readonly readiness: () => Promise<Readiness>;
}

/** The HTTP side of the gateway, without a listening port. */
export async function createApp(needs: GatewayNeeds): Promise<FastifyInstance> {
  const { log } = needs;
  const answer = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const error = failureOf(thrown, {
      log,
      requestId: request.id,
      span: request.span,
      bodyLimitBytes: request.routeOptions.bodyLimit ?? BODY_LIMIT_BYTES,
    });
    // If Fastify refuses before its hooks run, the id is not set yet.
    reply.header('x-request-id', request.id);
    const { config } = request.routeOptions;
    const headers = { ...failureHeaders(error), ...config?.failureHeaders?.(error, request) };
    reply.code(statusOf(error)).headers(headers).header('content-type', JSON_TYPE);
    const bodyOf = config?.failureBody ?? failureBody;
    reply.send(bodyOf(error, request.id));
  };
  const app = fastify({
    // Fastify's own would create a child logger for each request; ours writes one line (http/observe.ts).
    logger: false,
    genReqId: requestIdOf,
    trustProxy: needs.trustedProxies.length > 0 && [...needs.trustedProxies],
    bodyLimit: BODY_LIMIT_BYTES,
    // `/api/work-items/` is the list, not the item whose id is empty.
    routerOptions: { ignoreTrailingSlash: true },
    requestTimeout: REQUEST_TIMEOUT_MS,
    // While stopping, requests on open connections are still served: a 503 would lose what a client just sent.
    return503OnClosing: false,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: SLOW_CHECK_EVERY_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node's own refusal has no body.
      requireHostHeader: false,
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (thrown, request, reply) => answer(thrown, request, reply),
  });

  refuseWhatNodeWould(app);
  decorateRequests(app);
  observeRequests(app, { log: needs.requestLog, trustsTraceparent: needs.trustsTraceparent });
  refuseCompressedBodies(app);
  limitSlowBodies(app);
  discardUnreadBodies(app);
  compressLongAnswers(app);
  tellOfStop(app);
  const answerTheOthers = answerOtherMethods(app);

  app.removeAllContentTypeParsers();
  shareCallsFairly(app, needs.callLimits);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    await app.takePlace(request, body.length);
    return parseJsonBody(textOf(body));
  });

  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    done();
  });
  app.setErrorHandler(answer);
  app.setNotFoundHandler(() => {
    throw nothingHere();
  });

  app.addHook('onError', async (request, _, error) => {
    const { operation } = request.routeOptions.config;
    if (!operation || !request.identity || (error as { code?: unknown }).code !== 'PERMISSION_DENIED') return;
    const { identity, id: requestId, params: input } = request;
    needs.refusals.note({ identity, sender: senderOf(identity, request), requestId, operation, input });
  });

  registerHealth(app, needs.readiness);
  const addressSecret = secretKey(needs.feedbackSettings.IP_HASH_SECRET);
  const { baseUrl } = needs.uploads;
  const perform = createPerform({ ...needs, addressSecret });
  registerRestRoutes(app, { authenticator: needs.authenticator, perform });
  registerAttachmentRoutes(app, { ...needs, ticketKeys: needs.uploads.ticketKeys, perform });
  registerAuditRoutes(app, needs);
  registerEventStream(app, needs);
  const connect = { ...needs, ...needs.connect, addressSecret, baseUrl };
  registerMcpEndpoints(app, { ...connect, perform });
  await registerDocumentation(app, needs.publicUrl);
  registerFeedbackRoutes(app, { ...needs, feedback: needs.clients.feedback, settings: needs.feedbackSettings });
  registerTokenEndpoint(app, connect);
  registerMetadata(app, {
    ...connect,
    prefix: new URL(needs.publicUrl ?? 'http://localhost').pathname.replace(/\/$/, ''),
  });
  registerConnectEndpoints(app, connect);
  if (needs.connect.allowsRegistration) registerRegistration(app, connect);
  registerUnsubscribing(app, connect);
  registerSession(app, needs);
  registerConsole(app, needs.console);
  registerCommandRoutes(app, needs.command);
  registerWidgetRoutes(app, needs.widget, needs.publicUrl);

  await app.after();
  answerTheOthers();
  return app;
}
