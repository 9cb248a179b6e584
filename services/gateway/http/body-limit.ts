/** Of every JSON body. Attachments are streamed and have a limit of their own. */
export const BODY_LIMIT_BYTES = 1_048_576;
