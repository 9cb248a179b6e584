/** For every JSON body. Attachments are streamed and have their own limit. */
export const BODY_LIMIT_BYTES = 1_048_576;
/** For a body sent without an API key. */
export const PUBLIC_BODY_LIMIT_BYTES = 65_536;
