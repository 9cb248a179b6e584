/** The steps of a client that connects, in this order, as far as the service sees them. */
export const CONNECTION_STEPS = [
  /** It has read where and how to sign in (RFC 9728, RFC 8414). */
  'metadata',
  /** The document that its client_id names was fetched, or its registration found. */
  'client',
  /** The browser came with a request that is in order. */
  'authorize',
  /** A signed-in user has seen the app's request. */
  'consent',
  /** They have allowed it, and the browser was sent back with a code. */
  'code',
  /** It has exchanged the code for tokens. */
  'token',
  /** It has begun to speak the protocol with its token. */
  'initialize',
  /** It has called a tool. */
  'tool',
] as const;
export type ConnectionStep = (typeof CONNECTION_STEPS)[number];
