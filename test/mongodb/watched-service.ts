import { pathToFileURL } from 'node:url';
import { watchDatabase } from './watch.ts';

/** Loaded into each service that tests start, before the service itself: see `watched`. */
watchDatabase(() => (process.argv[1] === undefined ? 'a process' : pathToFileURL(process.argv[1]).href));
