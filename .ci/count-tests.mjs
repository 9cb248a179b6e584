// Prints `<passed> <failed>` from the report of a test run. A file that could not be run at all, an error outside of every test, and a run
// that ended without a report each count as one failure.
import { readFileSync } from 'node:fs';

const [file, exitCode] = process.argv.slice(2);
let passed = 0;
let failed = 0;
try {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  passed = report.numPassedTests;
  failed = report.numFailedTests;
  for (const { status, assertionResults } of report.testResults) {
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) failed += 1;
  }
} catch (error) {
  console.error(`The test run left no report: ${error.message}`);
}
if (exitCode !== '0' && failed === 0) failed = 1;
console.log(`${passed} ${failed}`);
