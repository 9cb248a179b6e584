import { permissionsOfTools } from '@worktrack/contracts/catalogue';
import { RESOURCES, type Resource } from '@worktrack/contracts/keys/records';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../http/envelope.ts';
import { addressOf, type BaseUrl, baseOf, issuerAt } from './addresses.ts';
import { forPages } from './cors.ts';
import type { ConnectionSteps } from './steps.ts';

/** What it makes sense to ask for at a resource. */
export function scopesOf(resource: Resource): readonly string[] {
  return SCOPES[resource];
}
const SCOPES: Readonly<Record<Resource, readonly string[]>> = {
  connect: permissionsOfTools(),
  'connect/readonly': permissionsOfTools().filter((each) => each.endsWith(':read')),
};

/**
 * Where and how a client signs in: for each resource at the address that its 401 names (RFC 9728), and for the authorization server (RFC 8414). Nothing of it is at the
 * root, where clients that have a key would find it, and begin to sign in.
 */
export function registerMetadata(
  app: FastifyInstance,
  needs: {
    readonly baseUrl: BaseUrl;
    /** The path of the public address, if it has one. */
    readonly prefix: string;
    readonly allowsRegistration: boolean;
    readonly steps: ConnectionSteps;
  },
): void {
  const { baseUrl, prefix, allowsRegistration, steps } = needs;
  app.register(async (own) => {
    forPages(own);
    for (const resource of RESOURCES) {
      document(own, `/.well-known/oauth-protected-resource${prefix}/${resource}`, (base) => ({
        resource: addressOf(base, resource),
        resource_name: 'worktrack',
        authorization_servers: [issuerAt(base)],
        scopes_supported: scopesOf(resource),
        bearer_methods_supported: ['header'],
      }));
    }
    document(own, `/.well-known/oauth-authorization-server${prefix}/connect`, (base) => ({
      issuer: issuerAt(base),
      authorization_endpoint: `${base}/connect/authorize`,
      token_endpoint: `${base}/connect/token`,
      revocation_endpoint: `${base}/connect/revoke`,
      ...(allowsRegistration && { registration_endpoint: `${base}/connect/register` }),
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      // Some ask for it only where it is named; refresh tokens are given to all.
      scopes_supported: [...scopesOf('connect'), 'offline_access'],
      protected_resources: RESOURCES.map((resource) => addressOf(base, resource)),
    }));
  });

  function document(own: FastifyInstance, url: string, describe: (base: string) => object): void {
    own.get(url, async (request: FastifyRequest, reply) => {
      steps.lookedUp(request, 'metadata');
      return reply.header('content-type', JSON_TYPE).send(JSON.stringify(describe(baseOf(request, baseUrl))));
    });
  }
}
