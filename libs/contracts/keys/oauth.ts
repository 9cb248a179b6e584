import { z } from 'zod';
import { Id, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { CONNECTION_PROBLEMS } from './connection.ts';
import { CONNECTION_STEPS } from './connection-steps.ts';
import { Presented } from './identity.ts';
import { PermissionValue, Resource } from './records.ts';
import { From } from './sessions.ts';

/** Of any parameter of a request: far longer than any that makes sense. */
export const MAX_PARAMETER_LENGTH = 4_096;
export const MAX_REDIRECT_URIS = 20;

const Text = z.string().max(MAX_PARAMETER_LENGTH);
/** A client's network as a gateway knows it: hashed with a key. */
const Network = z.string().max(100);
const UserAgent = z.string().max(256).nullable();

/** In a lane of its own, since the server of a document may take seconds to answer, and whoever sends browsers here chooses which. */
export const startConnection = operation({
  name: 'connections.start',
  summary:
    'Keep what a browser was sent here with (RFC 6749, 4.1.1), for somebody to decide about. Whatever is wrong with it is kept as well, and shown to them instead.',
  permissions: 'internal',
  effect: 'create',
  input: z.strictObject({
    /** Each parameter, if it came exactly once. */
    clientId: Text.optional(),
    redirectUri: Text.optional(),
    state: Text.optional(),
    responseType: Text.optional(),
    responseMode: Text.optional(),
    codeChallenge: Text.optional(),
    codeChallengeMethod: Text.optional(),
    /** Undefined: none of this service. */
    resource: Resource.optional(),
    /** Of those asked for, the ones that there are. Default: all. */
    permissions: z.array(PermissionValue).optional(),
    isMalformed: z.boolean(),
    /** As clients know it: `iss` of the answer (RFC 9207). */
    issuer: Text,
    network: Network,
    userAgent: UserAgent,
  }),
  output: z.object({ id: RecordId }),
  errors: [],
  lane: 'long',
});

/** What a request for tokens has in common. */
const tokens = {
  clientId: Text,
  /** Undefined: the client has left it out. */
  resource: Resource.or(z.literal('foreign')).optional(),
  /** What the client gets if it may; the gateway has made them. */
  access: Presented,
  refresh: Presented,
  from: From,
};

const Given = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('granted'), expiresAt: Timestamp, permissions: z.array(PermissionValue) }),
  z.object({ outcome: z.literal('refused'), error: z.enum(['invalid_grant', 'invalid_target']) }),
]);

export const redeemCode = operation({
  name: 'connections.redeem',
  summary: 'Exchange an authorization code for tokens, once. A second use ends the grant.',
  permissions: 'internal',
  effect: 'create',
  input: z.strictObject({
    ...tokens,
    code: Presented,
    redirectUri: Text.optional(),
    /** The SHA-256 of `code_verifier`, base64url: what must equal the challenge (RFC 7636, 4.6). */
    challenge: z.string().max(100),
    network: Network,
  }),
  output: Given,
  errors: [],
});

export const refreshGrant = operation({
  name: 'connections.refresh',
  summary:
    'Exchange a refresh token for the next ones, which are the same for whoever asks within 60 seconds. A later use ends the grant.',
  permissions: 'internal',
  effect: 'create',
  input: z.strictObject({ ...tokens, current: Presented }),
  output: Given,
  errors: [],
});

export const endToken = operation({
  name: 'connections.endToken',
  summary: 'End an access token, or with a refresh token the whole grant (RFC 7009). What is unknown is ended already.',
  permissions: 'internal',
  effect: 'delete',
  input: z.strictObject({ token: Presented, clientId: Text.optional(), from: From }),
  output: z.object({}),
  errors: [],
});

export const registerClient = operation({
  name: 'connections.register',
  summary: 'Register a client that has no document of its own (RFC 7591). One that nobody uses is gone after a day.',
  permissions: 'internal',
  effect: 'create',
  input: z.strictObject({
    name: Text.optional(),
    uri: Text.optional(),
    redirectUris: z.array(Text).min(1).max(MAX_REDIRECT_URIS),
  }),
  output: z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('registered'), id: RecordId, name: z.string(), createdAt: Timestamp }),
    z.object({ outcome: z.literal('refused'), redirectUri: z.string() }),
  ]),
  errors: [],
});

export const MAX_NOTES = 500;

export const noteSteps = operation({
  name: 'connections.note',
  summary: 'Note steps of clients that a gateway has seen: by their networks, or by their grants.',
  permissions: 'internal',
  effect: 'update',
  input: z.strictObject({
    notes: z
      .array(
        z.union([
          z.strictObject({
            network: Network,
            userAgent: UserAgent,
            /** `null`: it came without a token, and was told where to get one. */
            step: z.enum(CONNECTION_STEPS).nullable(),
            problem: z.enum(CONNECTION_PROBLEMS).optional(),
            at: z.iso.datetime(),
          }),
          z.strictObject({
            organizationId: Id,
            grantId: Id,
            step: z.enum(CONNECTION_STEPS).nullable(),
            /** Permissions that a call was refused for. */
            missed: z.array(PermissionValue).optional(),
            at: z.iso.datetime(),
          }),
        ]),
      )
      .min(1)
      .max(MAX_NOTES),
  }),
  output: z.object({}),
  errors: [],
});
