import multipart from '@fastify/multipart';
import { addAttachment, readAttachment } from '@worktrack/contracts/attachments/operations';
import { OperationError } from '@worktrack/contracts/errors';
import { callerOf, type Identity } from '@worktrack/contracts/keys/identity';
import type { KeyRing } from '@worktrack/runtime/process/key-ring';
import { parseInput } from '@worktrack/runtime/validation/parse';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clients } from '../clients.ts';
import { JSON_TYPE, successBody } from '../http/envelope.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { parseQuery } from '../http/query.ts';
import { senderOf } from '../http/sender.ts';
import { type Authenticator, TICKET_IS_OVER } from '../identity/authenticate.ts';
import { authorize, requireRate } from '../identity/authorize.ts';
import { requirePermissions, requireSameProjects } from '../identity/permissions.ts';
import { type UploadGrant, verifyTicket } from '../identity/upload-ticket.ts';
import { Transfers } from '../limits/transfers.ts';
import type { CallOrigin, Perform } from '../perform.ts';
import { inputReader } from '../rest/input.ts';
import { routeOf } from '../rest/route.ts';
import { originOfWait } from '../waits.ts';
import { FORM_LIMITS, readForm } from './form.ts';
import { neverAProgram } from './never-a-program.ts';
import { sentInTime } from './pace.ts';
import { sendContent } from './send.ts';

interface AttachmentNeeds {
  readonly authenticator: Authenticator;
  readonly clients: Clients;
  readonly perform: Perform;
  readonly ticketKeys: KeyRing;
}

interface ItemRoute {
  Params: { readonly workItemId: string };
  Querystring: { readonly ticket?: unknown };
}

const UploadQuery = z.strictObject({ ticket: z.string().optional() });

/** The two routes that carry bytes. Neither ever holds a file in memory: each chunk waits until the previous one has been consumed. */
export function registerAttachmentRoutes(app: FastifyInstance, needs: AttachmentNeeds): void {
  const transfers = new Transfers();
  app.register(async (scope) => {
    // In its own scope: no other route accepts forms. Of anything else, readForm says what to send instead.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    await scope.register(multipart, { limits: FORM_LIMITS, throwFileSizeLimit: false });
    registerUpload(scope, needs, transfers);
    registerDownload(scope, needs, transfers);
  });
}

function registerUpload(
  scope: FastifyInstance,
  { authenticator, clients, perform, ticketKeys }: AttachmentNeeds,
  transfers: Transfers,
): void {
  const route = pathOf(addAttachment);
  const byKey = authorize(authenticator, addAttachment.permissions);
  scope.route<ItemRoute>({
    method: 'POST',
    url: route,
    config: { streamsBody: true, operation: addAttachment },
    // The length of a form is not that of its file, which has its own limit (FORM_LIMITS).
    bodyLimit: Number.MAX_SAFE_INTEGER,
    onRequest: async function (request, reply) {
      if (request.query.ticket === undefined) await byKey.call(this, request, reply);
    },
    handler: async (request, reply) => {
      const { ticket } = parseQuery(UploadQuery, request.query);
      const right =
        ticket === undefined
          ? rightOfKey(request, reply, authenticator)
          : await rightOfTicket(ticket, request, reply, { authenticator, clients, ticketKeys });
      const form = await readForm(request);
      const input = {
        workItemId: request.params.workItemId,
        fileName: right.grant?.fileName ?? form.fileName,
        ...defined({
          mimeType: right.grant?.mimeType ?? form.mimeType,
          uploadedBy: right.grant?.uploadedBy ?? form.uploadedBy,
          metadata: form.metadata,
        }),
      };
      const place = await transfers.takePlace(right.origin.identity, request);
      const bytes = checkedAtTheEnd(sentInTime(form.bytes), right);
      const { output, replayed } = await perform(addAttachment, input, right.origin, bytes)
        .catch((error) => {
          throw right.grant ? inWordsOfTicket(error) : error;
        })
        .finally(() => place.leave());
      if (replayed) reply.header('idempotency-replayed', 'true');
      return reply.code(201).header('content-type', JSON_TYPE).send(successBody(output));
    },
  });
}

function registerDownload(
  scope: FastifyInstance,
  { authenticator, clients }: AttachmentNeeds,
  transfers: Transfers,
): void {
  const readInput = inputReader(readAttachment);
  scope.route({
    method: 'GET',
    url: pathOf(readAttachment),
    config: { operation: readAttachment },
    onRequest: [neverAProgram, authorize(authenticator, readAttachment.permissions)],
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
      const input = parseInput(readAttachment.input, {
        ...readInput({ params: request.params, query: request.query, body: undefined, ifMatch: undefined }),
        ...defined({ range, ifRange, ifNoneMatch }),
      });
      const { caller, requestId, trace } = originOf(request, request.identity, undefined);
      const place = await transfers.takePlace(request.identity, request);
      const { output, bytes } = await clients.workitems
        .download('attachments.read', input, { caller, requestId, trace })
        .catch((error) => {
          place.leave();
          throw error;
        });
      bytes.once('close', () => place.leave());
      return sendContent(request, reply, output, bytes);
    },
  });
}

interface UploadRight {
  readonly origin: CallOrigin;
  /** Whom it speaks for by now. @throws OperationError API_KEY_INVALID */
  readonly identify: () => Promise<Identity>;
  /** What the holder of a ticket is bound to. */
  readonly grant?: UploadGrant;
}

/**
 * An upload takes as long as its client likes: up to half an hour at the slowest allowed rate. So its permission is checked again once all bytes are here,
 * before anything is stored. Otherwise the holder of a key could leave files behind long after it was revoked.
 * @throws OperationError as for a new request
 */
async function* checkedAtTheEnd(
  bytes: AsyncIterable<Uint8Array>,
  { origin, identify }: UploadRight,
): AsyncGenerator<Uint8Array, void> {
  yield* bytes;
  const now = await identify();
  requirePermissions(now, addAttachment.permissions);
  requireSameProjects(now, origin.caller);
}

function rightOfKey(request: FastifyRequest, reply: FastifyReply, authenticator: Authenticator): UploadRight {
  const { identify } = originOfWait(request, reply, authenticator);
  return {
    origin: originOf(request, request.identity, idempotencyKeyOf(request.headers['idempotency-key'])),
    identify,
  };
}

/**
 * A ticket is valid as long as the key that requested it: if the key is revoked or restricted meanwhile, the ticket is worthless. Each use of a ticket counts
 * in the rate of that key. It may be sent any number of times, since an upload whose answer was lost is repeated with it.
 */
async function rightOfTicket(
  ticket: string,
  request: FastifyRequest<ItemRoute>,
  reply: FastifyReply,
  { authenticator, clients, ticketKeys }: Pick<AttachmentNeeds, 'authenticator' | 'clients' | 'ticketKeys'>,
): Promise<UploadRight> {
  const verified = verifyTicket(ticket, ticketKeys, Date.now());
  if (typeof verified === 'string' || verified.grant.workItemId !== request.params.workItemId) {
    const why = verified === 'expired' ? 'has expired' : 'was not issued for this upload';
    throw new OperationError(
      'API_KEY_INVALID',
      `The upload ticket ${why}. Ask upload_work_item_attachment for a new one.`,
    );
  }
  const { keyPrefix: prefix } = verified.grant;
  const { identity, rate } = await authenticator.authenticateGranted(prefix, request);
  if (rate) requireRate(rate, reply);
  requirePermissions(identity, addAttachment.permissions);
  const identify = async () => {
    const now = await clients.keys.call('identity.current', { prefix }, { requestId: request.id });
    if (!now.identity) throw new OperationError('API_KEY_INVALID', TICKET_IS_OVER);
    return now.identity;
  };
  return { origin: originOf(request, identity, `ticket:${verified.nonce}`), identify, grant: verified.grant };
}

/** Its holder has no idempotency key. */
function inWordsOfTicket(error: unknown): unknown {
  if (!(error instanceof OperationError) || error.code !== 'IDEMPOTENCY_KEY_REUSED') return error;
  return new OperationError(
    error.code,
    'This upload ticket has been used for another upload. Ask upload_work_item_attachment for a new one.',
  );
}

function originOf(
  request: FastifyRequest<ItemRoute> | FastifyRequest,
  identity: Identity,
  idempotencyKey: string | undefined,
): CallOrigin {
  return {
    identity,
    caller: callerOf(identity),
    sender: senderOf(identity, request),
    requestId: request.id,
    idempotencyKey,
    trace: (request as FastifyRequest).trace,
    place: request.place,
  };
}

function pathOf(operation: typeof addAttachment | typeof readAttachment): string {
  const route = routeOf(operation);
  if (!route) throw new Error(`${operation.name} has no route.`);
  return route.path;
}

/** Drops undefined values: inputs are validated strictly, and a key without a value is still a key. */
function defined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
