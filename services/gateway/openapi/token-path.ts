import { TOKEN_PATH } from '../oauth/token.ts';
import type { OpenApiObject } from './components.ts';

const text = { type: 'string' };
const FAILURE = {
  type: 'object',
  required: ['error', 'error_description', 'request_id'],
  properties: { error: text, error_description: text, request_id: text },
};
const failure = (description: string) => ({ description, content: { 'application/json': { schema: FAILURE } } });

/** The exchange of a JWT, which has OAuth's form rather than that of the API. */
export function tokenPath(): Record<string, OpenApiObject> {
  return {
    [TOKEN_PATH]: {
      post: {
        tags: ['oauth'],
        security: [],
        operationId: 'oauth.token',
        summary: 'Exchange a JWT that a rule of trust believes for a short-lived token, by RFC 8693 or RFC 7523.',
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['grant_type'],
                properties: {
                  grant_type: {
                    type: 'string',
                    enum: [
                      'urn:ietf:params:oauth:grant-type:token-exchange',
                      'urn:ietf:params:oauth:grant-type:jwt-bearer',
                    ],
                  },
                  subject_token: { ...text, description: 'The JWT, for token exchange' },
                  subject_token_type: {
                    type: 'string',
                    enum: ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token'],
                  },
                  assertion: { ...text, description: 'The JWT, for jwt-bearer' },
                  scope: { ...text, description: 'Permissions with spaces between; by default all of the rule' },
                },
              },
            },
          },
        },
        responses: {
          '200': {
            description: 'The token.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['access_token', 'token_type', 'expires_in', 'scope'],
                  properties: {
                    access_token: text,
                    issued_token_type: text,
                    token_type: text,
                    expires_in: { type: 'integer' },
                    scope: text,
                  },
                },
              },
            },
          },
          '400': failure('The JWT was not accepted, or the request is malformed.'),
          '429': failure('Too many requests came from the address.'),
          '503': failure("The issuer's keys are not to be had."),
        },
      },
    },
  };
}
