import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{libs,services,stack,cli,widget,bench}/**/*.test.ts', 'test/**/*.test.ts'],
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
