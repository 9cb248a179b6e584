import { z } from 'zod';
import { RecordId, Timestamp } from '../fields.ts';
import { CONNECTION_STEPS } from './connection-steps.ts';
import { PermissionValue, Resource } from './records.ts';

/** Why a step failed, for whoever wants to do something about it. */
export const CONNECTION_PROBLEMS = [
  /** A parameter is missing, comes twice or is too long. */
  'malformed',
  /** `client_id` is neither the address of a document nor a registered client. */
  'unknown-client',
  /** The client's document could not be fetched. */
  'document-unreachable',
  /** What was fetched is no document of that client. */
  'document-invalid',
  /** `redirect_uri` is none of the client's. */
  'redirect-uri',
  /** `response_type` is not `code`. */
  'response-type',
  /** `response_mode` is not `query`. */
  'response-mode',
  /** There is no `code_challenge` with the method S256. */
  'pkce',
  /** `resource` is none of this service. */
  'resource',
  /** Somebody has said no. */
  'denied',
  /** The code came too late, for the second time, or from another client, or its `code_verifier` or `redirect_uri` was wrong. */
  'code-expired',
  'code-reused',
  'code-client',
  'code-verifier',
] as const;
export type ConnectionProblem = (typeof CONNECTION_PROBLEMS)[number];

export const Problem = z.enum(CONNECTION_PROBLEMS);

/** One attempt of a client to connect. */
export const Connection = z.object({
  id: RecordId,
  at: Timestamp,
  /** `null`: the client has not said who it is. */
  clientId: z.string().nullable(),
  clientName: z.string().nullable(),
  /** Of the client or the browser, whichever was seen first. */
  userAgent: z.string().nullable(),
  /** Who was signed in. `null`: nobody yet. */
  userId: RecordId.nullable(),
  steps: z.array(
    z.object({
      step: z.enum(CONNECTION_STEPS),
      /** `null`: it must have happened, but was not seen. */
      at: Timestamp.nullable(),
      problem: Problem.optional(),
      /** What exactly went wrong. */
      detail: z.string().optional(),
    }),
  ),
  /** The first step that never came, or that failed. `null`: all is well. */
  missing: z.enum(CONNECTION_STEPS).nullable(),
});
export type Connection = z.infer<typeof Connection>;

/** What the person who decides is shown. */
export const ConsentRequest = z.object({
  id: RecordId,
  client: z.object({
    id: z.string(),
    name: z.string(),
    /** The client's own word. */
    uri: z.string().nullable(),
    /** Where its document was fetched from, which is proof of who it is. `null`: it has registered itself, and anybody can call themselves anything. */
    domain: z.string().nullable(),
  }),
  /** Where the browser is sent with the code: a site, a program on this computer that listens there, or one that has registered this scheme. */
  returnsTo: z.object({ kind: z.enum(['site', 'loopback', 'scheme']), name: z.string() }),
  resource: Resource,
  /** What the app asks for and you can give. */
  offered: z.array(PermissionValue),
  /** What you have given to the same app, and what it has been refused for lack of permission since: it is asking again for a reason. */
  given: z.array(PermissionValue),
  missed: z.array(PermissionValue),
});
export type ConsentRequest = z.infer<typeof ConsentRequest>;
