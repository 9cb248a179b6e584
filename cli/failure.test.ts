import { expect, test } from 'vitest';
import { inFlags } from './failure.ts';

test.each([
  ['projectId: must be a UUID', '--project-id: must be a UUID'],
  ['filters.projectId: must be a UUID', '--filters (projectId): must be a UUID'],
  ['Pass projectId, or connect to /mcp?projectId=<id>', 'Pass --project-id, or connect to /mcp?projectId=<id>'],
  ['name: is missing; pass takeOver: true', '<name>: is missing; pass --take-over'],
  ['claims.ref.0: is empty', '--claim (ref.0): is empty'],
  ['projects.1: names no project', '--project (value 2): names no project'],
  ['The name of a project; see GET /api/projects', 'The name of a project; see `worktrack project list`'],
])('what a refusal says of a field, an option is told of: %s', (said, told) => {
  const fields = ['name', 'projectId', 'projects', 'takeOver', 'claims', 'filters'];
  expect(inFlags(said, fields, { name: '<name>' })).toBe(told);
  expect(inFlags(said, fields.toReversed(), { name: '<name>' })).toBe(told);
});
