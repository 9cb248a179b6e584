/** The dependency rule: contracts ← rpc ← runtime ← services; services never import each other. */
const outside = (name, from, to) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: to },
});

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      // No folder imports one that imports it, on whatever way round and at any depth: each can be understood with only those below it.
      name: 'no-two-way-doors',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(services|libs|console|widget|cli|stack|bench|test)/' },
      to: { circular: true },
    },
    outside(
      'contracts-import-nothing-of-ours',
      '^libs/contracts',
      '^(libs/(rpc|runtime)|services|stack|cli|widget|console|test|bench)/',
    ),
    outside('rpc-imports-contracts-only', '^libs/rpc', '^(libs/runtime|services|stack|cli|widget|console|test|bench)/'),
    outside('runtime-imports-libs-only', '^libs/runtime', '^(services|stack|cli|widget|console|test|bench)/'),
    outside('services-are-apart-gateway', '^services/gateway/', '^services/(keys|workitems|feedback|events)/'),
    outside('services-are-apart-keys', '^services/keys/', '^services/(gateway|workitems|feedback|events)/'),
    outside('services-are-apart-workitems', '^services/workitems/', '^services/(gateway|keys|feedback|events)/'),
    outside('services-are-apart-feedback', '^services/feedback/', '^services/(gateway|keys|workitems|events)/'),
    outside('services-are-apart-events', '^services/events/', '^services/(gateway|keys|workitems|feedback)/'),
    {
      name: 'contracts-know-zod-only',
      severity: 'error',
      from: { path: '^libs/contracts' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: 'node_modules/(\\.pnpm/)?zod' },
    },
    {
      // A client of the public API, in a browser: zod would be most of it. The tables of permissions and of the steps of a connection, how mentions are read, and values of a query, import nothing.
      name: 'the-console-takes-types-of-contracts-and-nothing-else',
      severity: 'error',
      from: { path: '^console/src/' },
      to: {
        path: '^(libs|services|stack|cli|widget|test|bench)/',
        pathNot: '^libs/contracts/(permissions|query-values|people/(languages|mentions)|keys/connection-steps)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'only-rpc-imports-amqplib',
      severity: 'error',
      from: { path: '^(libs|services|cli|stack)/', pathNot: '^libs/rpc/' },
      to: { path: 'node_modules/(\\.pnpm/)?amqplib' },
    },
    {
      name: 'only-repositories-and-models-import-mongoose',
      severity: 'error',
      from: {
        path: '^(libs|services|cli|stack)/',
        pathNot: '(\\.repository|\\.model)\\.ts$|^libs/runtime/database/',
      },
      to: { path: 'node_modules/(\\.pnpm/)?mongoose', dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // What is built, and built again by whatever starts a gateway; and tests, which may use what starts servers and services for them.
    exclude: { path: '^(widget|console|cli)/dist/|\\.test\\.tsx?$|/testing\\.ts$|/testing-replica\\.ts$' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
