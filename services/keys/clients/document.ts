import { MAX_REDIRECT_URIS } from '@worktrack/contracts/keys/oauth';
import { isRedirectUri } from './redirect-uri.ts';

/** What a client says about itself. */
export interface DescribedClient {
  readonly name: string;
  readonly uri: string | null;
  readonly redirectUris: readonly string[];
}

const MAX_NAME_LENGTH = 80;
/** Together. Each document is stored, and a page could send browsers with any number of them. */
const MAX_REDIRECT_LENGTH = 4_096;
const MAX_URI_LENGTH = 500;

/**
 * Whether a `client_id` is the address of a document: https, with a path, in the only way to write it, so that no two are one
 * (draft-ietf-oauth-client-id-metadata-document-02, 3). Plain http is left to the guard, which allows it into networks that the operator has named.
 */
export function isDocumentAddress(clientId: string): boolean {
  if (!URL.canParse(clientId)) return false;
  const { href, protocol, pathname, hash, username, password } = new URL(clientId);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && href === clientId && pathname !== '/' && hash === '' && username === '' && password === '';
}

/** @returns what the document says, or what is wrong with it, in a sentence */
export function clientIn(document: unknown, clientId: string): DescribedClient | string {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return 'It is not a JSON object.';
  const given = document as Readonly<Record<string, unknown>>;
  if (given.client_id !== clientId) return 'Its client_id is not the address that it was fetched from.';
  if ('client_secret' in given) return 'It has a client_secret, which everybody could read.';
  if (!canBePublic(given)) return 'It has a token_endpoint_auth_method other than none, and none is the only one here.';
  if (!includes(given.grant_types, 'authorization_code')) return 'Its grant_types lack authorization_code.';
  if (!includes(given.response_types, 'code')) return 'Its response_types lack code.';
  const redirectUris = redirectUrisIn(given.redirect_uris);
  if (redirectUris.length === 0) return 'It has no redirect_uris that a code may be sent to.';
  if (redirectUris.join('').length > MAX_REDIRECT_LENGTH) {
    return `Its redirect_uris have more than ${MAX_REDIRECT_LENGTH} characters together.`;
  }
  const name = nameIn(given.client_name);
  if (name === undefined) return 'It has no client_name.';
  return { name, uri: uriIn(given.client_uri), redirectUris };
}

/** One that prefers a key of its own may do without (OpenID Connect RP Metadata Choices 1.0). */
function canBePublic({
  token_endpoint_auth_method: method,
  token_endpoint_auth_methods_supported: methods,
}: Readonly<Record<string, unknown>>): boolean {
  return method === undefined || method === 'none' || (Array.isArray(methods) && methods.includes('none'));
}

const includes = (list: unknown, wanted: string) =>
  list === undefined || (Array.isArray(list) && list.includes(wanted));

function redirectUrisIn(given: unknown): string[] {
  const all = Array.isArray(given) ? given.slice(0, MAX_REDIRECT_URIS) : [];
  return all.filter((each): each is string => typeof each === 'string' && isRedirectUri(each));
}

/** Between which names are shown, so that “App of claude.ai” is seen to be all name. */
const QUOTATION_MARKS = /["\u201c-\u201f\u00ab\u00bb\u300c-\u300f\uff02]/g;
/** More than any script puts on one letter: a pile of them is drawn over the lines above or below. */
const PILED_MARKS = /(?<=\p{M}{4})\p{M}+/gu;

/** One line, without what turns the direction of the text around it, is drawn over it or ends it, and without half characters: it stands beside our own words. */
export function nameIn(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const name = given
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(QUOTATION_MARKS, ' ')
    .replaceAll(PILED_MARKS, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return name === '' ? undefined : [...name].slice(0, MAX_NAME_LENGTH).join('');
}

export function uriIn(given: unknown): string | null {
  if (typeof given !== 'string' || given.length > MAX_URI_LENGTH || !URL.canParse(given)) return null;
  const { href, protocol } = new URL(given);
  return protocol === 'https:' ? href : null;
}
