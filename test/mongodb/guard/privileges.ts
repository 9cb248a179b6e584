import {
  type Document,
  documentsIn,
  filtersOf,
  forEachField,
  isDocument,
  nameOf,
  page,
  pipelinesOf,
  type Violation,
} from './command.ts';

const ROLES = page('Built-In Roles', 'reference/built-in-roles');
const KILL_SESSIONS = page('killSessions', 'reference/command/killSessions');
const JAVASCRIPT = page('Server-side JavaScript', 'core/server-side-javascript');

/** Those of the role `readWrite` on the service's own database, and what any user may do. */
const ALLOWED = new Set([
  ...['aggregate', 'bulkWrite', 'count', 'delete', 'distinct', 'explain', 'find', 'findAndModify', 'getMore', 'insert'],
  ...[
    'killCursors',
    'update',
    'collStats',
    'dbStats',
    'create',
    'createIndexes',
    'drop',
    'dropIndexes',
    'listCollections',
  ],
  ...['listIndexes', 'buildInfo', 'connectionStatus', 'hello', 'isMaster', 'ismaster', 'ping', 'commitTransaction'],
  ...[
    'abortTransaction',
    'startSession',
    'refreshSessions',
    'endSessions',
    'killSessions',
    'saslStart',
    'saslContinue',
  ],
]);
const FOREIGN_STAGES = new Set(['$indexStats', '$planCacheStats']);
/** These show the user's own without a privilege; those of all users only with one. */
const OWN_STAGES = new Set(['$currentOp', '$listSessions', '$listLocalSessions']);
const SCRIPTS = new Set(['$where', '$function', '$accumulator']);

/** What the user of a service, which has the role `readWrite` on its database and no other, may not do. */
export function privilegeViolations(command: Document): Violation[] {
  const found: Violation[] = [];
  const name = nameOf(command);
  if (name === 'mapReduce') found.push({ rule: 'mapReduce runs JavaScript in the server', page: JAVASCRIPT });
  else if (!ALLOWED.has(name)) found.push({ rule: `${name} needs more than the role readWrite`, page: ROLES });
  if (name === 'killSessions' && documentsIn(command.killSessions).some((session) => 'uid' in session)) {
    found.push({ rule: 'killSessions of another user', page: KILL_SESSIONS });
  }
  for (const stage of pipelinesOf(command).flat()) {
    for (const [stageName, body] of Object.entries(stage)) {
      const isForeign = OWN_STAGES.has(stageName) && isDocument(body) && body.allUsers === true;
      if (FOREIGN_STAGES.has(stageName) || isForeign) {
        found.push({ rule: `${stageName} needs more than the role readWrite`, page: ROLES });
      }
    }
  }
  forEachField([...filtersOf(command), ...pipelinesOf(command)], (field) => {
    if (SCRIPTS.has(field)) found.push({ rule: `${field} runs JavaScript in the server`, page: JAVASCRIPT });
  });
  return found;
}
