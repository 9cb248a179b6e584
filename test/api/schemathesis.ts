import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended } from '@worktrack/stack/processes/run-to-end';
import { Progress } from '@worktrack/stack/report/progress';
import { pythonWithPip } from '@worktrack/stack/servers/pip';
import { pythonPackages } from '../support/python-packages.ts';

const VERSION = '4.32.5';
const OTHERWISE = 'Without it the API cannot be tried with requests made from its description.';
const MAIN = 'from schemathesis.cli import schemathesis; schemathesis()';

/**
 * Runs Schemathesis (https://schemathesis.io), which is fetched from PyPI into the user's cache folder the first time.
 * @param folder where it works, and leaves what it remembers
 */
export async function schemathesis(args: readonly string[], folder: string): Promise<Ended> {
  const python = await pythonWithPip(new Progress(process.stderr), OTHERWISE);
  // 413 is not among those that it counts as refusals by default.
  const refusals = '[400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, "5xx"]';
  // 410 depends on the state of the log, as 404 and 409 do on that of the data.
  const answers = '["2xx", "3xx", 401, 403, 404, 409, 410, 429, "5xx"]';
  writeFileSync(
    join(folder, 'schemathesis.toml'),
    [
      '[checks.negative_data_rejection]',
      `expected-statuses = ${refusals}`,
      '[checks.positive_data_acceptance]',
      `expected-statuses = ${answers}`,
      '',
    ].join('\n'),
  );
  const { run } = await pythonPackages(python, [`schemathesis==${VERSION}`]);
  return await run(['-c', MAIN, ...args], folder, { NO_COLOR: '1', COLUMNS: '160' });
}
