import type { Permission } from '@worktrack/contracts/permissions';

/** What an agent needs to find, do and hand over tasks (docs/agents.md). */
export const AGENT_PERMISSIONS: readonly Permission[] = [
  'projects:read',
  'work-items:read',
  'work-items:write',
  'feedback:read',
];
