import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { IN_CONTAINERS, TESTS_WITH_OWN_PROCESSES } from './test/support/test-stack.ts';

export default defineConfig({
  test: {
    include: ['{libs,services,stack,cli,widget,console,bench}/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(IN_CONTAINERS ? TESTS_WITH_OWN_PROCESSES : [])],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Most tests wait for servers and services, which need the cores too.
    maxWorkers: Math.max(2, Math.ceil(availableParallelism() / 2)),
    // Servers of others are shared whole: only our own have a virtual host and a database for each file.
    fileParallelism: !process.env.RABBITMQ_URL && !process.env.REDIS_URL,
    // Bounds for what hangs, far above what anything takes: a machine may be slow.
    testTimeout: 60_000,
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
