#!/usr/bin/env node
// The `worktrack` command, for whichever Node is installed: `npx worktrack …` in a clone. The project's own Node runs cli/main.ts.
process.argv.splice(2, 0, 'worktrack');
await import('../stack/bootstrap.mjs');
