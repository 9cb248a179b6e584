// Prints `<passed> <failed>` from the report of a test run, and of a second one of the files that failed, which then count instead. A file that
// could not be run at all, an error outside of every test, and a run that ended without a report each count as one failure.
// With `--failed <report>` it prints the files that failed, one a line, relative to the working directory; with `--slowest <number> <report>` those that
// took the longest, in seconds.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const args = process.argv.slice(2);
if (args[0] === '--failed') printFailedFiles(args[1]);
else if (args[0] === '--slowest') printSlowest(Number(args[1]), args[2]);
else printCounts(args);

function printFailedFiles(report) {
  for (const { name, status } of resultsOf(report)) {
    if (status === 'failed') console.log(relative(process.cwd(), name));
  }
}

function printSlowest(number, report) {
  const taken = resultsOf(report).map(({ name, startTime, endTime }) => [(endTime - startTime) / 1000, name]);
  for (const [seconds, name] of taken.sort(([a], [b]) => b - a).slice(0, number)) {
    console.log(`${seconds.toFixed(1).padStart(6)} ${relative(process.cwd(), name)}`);
  }
}

function printCounts([report, exitCode, secondReport, secondExitCode]) {
  const again = secondReport ? resultsOf(secondReport) : [];
  const names = new Set(again.map(({ name }) => name));
  const counted = [...resultsOf(report).filter(({ name }) => !names.has(name)), ...again];
  const count = (wanted) =>
    counted.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === wanted).length;
  const unrun = counted.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = count('failed') + unrun.length;
  console.log(`${count('passed')} ${failed === 0 && (secondExitCode ?? exitCode) !== '0' ? 1 : failed}`);
}

function resultsOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults;
  } catch (error) {
    console.error(`The test run left no report: ${error.message}`);
    return [];
  }
}
