import { fileURLToPath } from 'node:url';

const repository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The `worktrack` command of a clone, which its launcher (stack/bootstrap.mjs) runs. It alone has `org`. */
export const COMMAND = repository('cli/main.ts');

/** The same as one file, as gateways serve it, with half the CPU of a start. It is built before a system starts. */
export const ONE_FILE = repository('cli/dist/worktrack.mjs');

/** What the launcher gives it, and the environments that tests make up lack: it need not be compiled at each of hundreds of starts. */
export const COMPILED_ONCE = { NODE_COMPILE_CACHE: repository('node_modules/.cache/commands') };
