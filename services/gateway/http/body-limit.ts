/** Of every JSON body. Attachments are streamed and have a limit of their own. */
export const BODY_LIMIT_BYTES = 1_048_576;
/** Of a body from whoever has no API key. */
export const PUBLIC_BODY_LIMIT_BYTES = 65_536;
