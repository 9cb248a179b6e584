import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TRANSACTION_LIFETIME_SECONDS } from '@worktrack/stack/servers/mongodb';
import { expect, test } from 'vitest';

const file = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

test.each([
  'docker-compose.yml',
  'docs/operations.md',
  'deploy/helm/worktrack/values.yaml',
  'deploy/helm/worktrack/templates/NOTES.txt',
])('%s has MongoDB end the transactions of dead processes as soon as the stack does', (path) => {
  const told = [...file(path).matchAll(/transactionLifetimeLimitSeconds(?:=|: )(\d+)/g)].map(([, seconds]) =>
    Number(seconds),
  );
  expect(new Set(told)).toEqual(new Set([TRANSACTION_LIFETIME_SECONDS]));
});
