import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { IN_CONTAINERS, TESTS_WITH_OWN_PROCESSES } from './test/support/test-stack.ts';

const exclude = [...configDefaults.exclude, ...(IN_CONTAINERS ? TESTS_WITH_OWN_PROCESSES : [])];
const IN_A_NEW_PROCESS = [
  // They look at every command that their process sends, and what earlier files left in its memory would change some.
  'services/*/queries.test.ts',
  // A short file that takes a minute. Of a project, Vitest begins with the longest, and this one would end the run alone.
  'services/workitems/reference/*.test.ts',
];

/** Loading a service's modules takes a second, so the files of a project share a process that has them. Each file still has its own part of the servers. */
function together(name: string): TestProjectInlineConfiguration {
  const isInBrowser = name === 'console' || name === 'widget';
  const folder = isInBrowser ? name : `services/${name}`;
  return project({
    name,
    include: [`${folder}/**/*.test.ts`],
    exclude: [...exclude, ...IN_A_NEW_PROCESS],
    isolate: false,
    // axe takes seconds for each state that it checks on a busy machine, and a walk through a section has several.
    ...(isInBrowser && { testTimeout: 300_000, hookTimeout: 300_000 }),
  });
}

/** These ask a system over HTTP and keep nothing in their own process, so they share one: a process for each costs a second of CPU. */
const OF_A_SYSTEM =
  'test/{agents,api,chart,clients,connect,docs,e2e,events,feedback,gateway,mcp,model,security,webhooks}/**/*.test.ts';

/** These keep nothing in their process, either, and most need less than its start: together they take 5 s of CPU, and each in its own 12. */
const PURE = [
  '{cli,stack,libs/contracts,test/surface}/**/*.test.ts',
  'libs/runtime/{captcha,outbound,process,text,validation}/**/*.test.ts',
  'test/{deployment,env-example,operations-page}.test.ts',
];

/**
 * A dozen processes start at once in these while every call has its real deadline of seconds. Beside other files that is a test of the machine: they run after
 * all others, one at a time.
 */
const ALONE = ['test/upgrade/rolling.test.ts', 'test/security/large-answers.test.ts'];

function project(
  options: Pick<
    NonNullable<TestProjectInlineConfiguration['test']>,
    'name' | 'include' | 'exclude' | 'isolate' | 'testTimeout' | 'hookTimeout' | 'sequence' | 'maxWorkers'
  >,
): TestProjectInlineConfiguration {
  return {
    test: {
      pool: 'forks',
      // Bounds for what hangs, far above what anything takes: a machine may be slow.
      testTimeout: 240_000,
      hookTimeout: 300_000,
      teardownTimeout: 60_000,
      // Most look at a system by calls, whose CPU what they wait for needs too.
      expect: { poll: { timeout: 60_000, interval: 100 } },
      ...options,
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      // One service each, for mongoose knows the models of one service in a process.
      ...['workitems', 'keys', 'feedback', 'events', 'gateway', 'console', 'widget'].map(together),
      project({ name: 'system', include: [OF_A_SYSTEM], exclude: [...exclude, ...ALONE], isolate: false }),
      project({ name: 'pure', include: PURE, exclude, isolate: false }),
      project({
        name: 'libs',
        include: ['libs/{rpc,runtime}/**/*.test.ts'],
        exclude: [...exclude, ...PURE],
        isolate: false,
      }),
      project({
        name: 'others',
        include: ['{bench,test}/**/*.test.ts', ...IN_A_NEW_PROCESS],
        exclude: [...exclude, OF_A_SYSTEM, ...PURE, ...ALONE],
      }),
      project({ name: 'alone', include: ALONE, exclude, maxWorkers: 1, sequence: { groupOrder: 1 } }),
    ],
    // What the files of a run share, whatever their project.
    globalSetup: ['test/support/global-setup.ts'],
    // Most tests wait for servers and services, which need the cores too. Two at once are enough for tests that compute, but beside them there is always one
    // that waits for a minute to end. With two workers, a quarter of two cores was idle; with four, a run takes as long as with three.
    maxWorkers: Math.max(3, Math.ceil(availableParallelism() / 2)),
    // Servers of others are shared whole: only our own have a virtual host and a database for each file.
    fileParallelism: !process.env.RABBITMQ_URL && !process.env.REDIS_URL,
  },
});
