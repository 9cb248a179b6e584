/** Whether the servers of a test run are containers (`TEST_STACK=containers`) and not processes on this machine. */
export const IN_CONTAINERS = inContainers(process.env.TEST_STACK);

/**
 * Tests that kill, freeze, starve or restart servers as their own processes, or start the whole one-machine stack. A run in containers leaves them out, because
 * it is meant to need no server on this machine.
 */
export const TESTS_WITH_OWN_PROCESSES = [
  'libs/rpc/broker.test.ts',
  'stack/servers/start.test.ts',
  'test/faults/*.test.ts',
  'test/gateway/faults.test.ts',
  'test/monitoring/panels.test.ts',
  'test/backup.test.ts',
  'test/security/other-users.test.ts',
  'test/stack.test.ts',
  'test/upgrade/server-passwords.test.ts',
];

function inContainers(stack: string | undefined): boolean {
  if (!stack) return false;
  if (stack !== 'containers') throw new Error(`TEST_STACK is "containers" or not set; it is "${stack}".`);
  return true;
}
