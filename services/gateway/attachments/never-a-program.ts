import { OperationError } from '@worktrack/contracts/errors';
import type { onRequestHookHandler } from 'fastify';

/** What a page requests in order to run it, or to be changed by it (Fetch Metadata, `Sec-Fetch-Dest`). */
const PROGRAMS: ReadonlySet<unknown> = new Set([
  'script',
  'style',
  'worker',
  'sharedworker',
  'serviceworker',
  'audioworklet',
  'paintworklet',
  'xslt',
  'object',
  'embed',
]);

/**
 * The console's policy lets its page load scripts and styles from its own origin, which also serves attachments. An attacker could upload a script and, if they
 * ever get a tag into the page, have it run. So anything that a browser requests as a program is not served as an attachment.
 */
export const neverAProgram: onRequestHookHandler = (request, _reply, done) => {
  if (!PROGRAMS.has(request.headers['sec-fetch-dest'])) return done();
  done(
    new OperationError(
      'PERMISSION_DENIED',
      'An attachment is a file to look at or to download, and is never run by a page.',
    ),
  );
};
