import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allOperations } from '@worktrack/contracts/catalogue';
import { describe, expect, test } from 'vitest';
import { inRoutes, inTools } from './other-operations.ts';

const POINTER = 'get_board (GET /api/boards/:id) shows the columns, list_projects (GET /api/projects) the projects';

test('scripts are told the route, agents the tool', () => {
  expect(inRoutes(POINTER)).toBe('GET /api/boards/:id shows the columns, GET /api/projects the projects');
  expect(inTools(POINTER)).toBe('get_board shows the columns, list_projects the projects');
  const others = 'Ask its lead (a person): POST /api/projects/:id/labels adds one, PATCH /api/users/7 (soon).';
  expect([inRoutes(others), inTools(others)]).toEqual([others, others]);
});

describe('the texts of services', () => {
  const routes = new Map([
    ['list_projects', 'GET /api/projects'],
    ...allOperations().flatMap(({ mcp, rest }) => (mcp && rest ? [[mcp.tool, rest] as const] : [])),
  ]);
  const root = join(import.meta.dirname, '../..');
  const texts = globSync(['services/*/**/*.ts', 'libs/contracts/fields.ts'], {
    cwd: root,
    exclude: (path) => /node_modules|\.test\.ts$|services\/gateway\/mcp|other-operations/.test(path),
  }).flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .filter(
        (line) => /\bfail\(|[`'].*\. |found:|message/.test(line) && !/^\s*(?:\*|\/[/*]|description|rest:)/.test(line),
      )
      .map((line) => ({ path, line: line.trim() })),
  );

  test.each([...routes])('name %s with its route, and the route with it', (tool, route) => {
    const pattern = route.replaceAll(/:\w+/g, '(?::\\w+|\\$\\{\\w+\\})');
    const isAlone = new RegExp(`\\b${tool}\\b(?! \\(${pattern}\\))|(?<!\\b${tool} \\()\\b${pattern}(?![\\w/?])`);
    expect(texts.filter(({ line }) => isAlone.test(line))).toEqual([]);
  });
});
