import { OperationError } from '@worktrack/contracts/errors';

/**
 * The credentials of an `Authorization: Bearer` header (RFC 6750, 2.1; the scheme's case does not matter: RFC 9110, 11.1).
 * @param of the expected kind, for the error text
 * @throws OperationError API_KEY_MISSING
 */
export function bearerToken(authorizationHeader: string | undefined, of: 'key' | 'app'): string {
  const token = /^bearer +(.*)$/is.exec(authorizationHeader?.trim() ?? '')?.[1];
  if (!token) throw new OperationError('API_KEY_MISSING', HOW[of]);
  return token;
}

const HOW = {
  key: 'Send an API key in the header `Authorization: Bearer <API key>`. An owner or admin creates one with POST /api/api-keys.',
  app: 'Sign in: this address is for apps that connect by OAuth, and resource_metadata says how. With an API key, use /mcp.',
} as const;
