import { z } from 'zod';
import { exampleLease, exampleTask, leaseToken, times } from '../../examples.ts';
import { ColumnRef, ItemRef, oneLine, ProjectId, RecordId, Timestamp } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { MAX_RESOLVED_IDS } from '../resolve.ts';
import { Rework, WorkItem } from '../work-item.ts';

export const MIN_LEASE_SECONDS = 60;
export const MAX_LEASE_SECONDS = 3_600;
export const DEFAULT_LEASE_SECONDS = 900;
/** Less than the 60 s that clients and proxies wait for a response by default. */
export const MAX_WAIT_SECONDS = 55;
/** Concurrently waiting claims of one organization. */
export const MAX_WAITING_CLAIMS = 1_000;

/** Opaque. Not a secret beyond the organization: it says which claim is meant, the API key says who may. */
export const LeaseToken = z.string().min(1).max(200);

export const Lease = z.object({ token: z.string(), expiresAt: Timestamp });
export type Lease = z.infer<typeof Lease>;

/** How the last agent's work on a task ended, and what it left for the next. */
export const PreviousWork = z.object({
  agent: z.string(),
  endedBecause: z.enum(['expired', 'released', 'moved', 'completed']),
  note: z.string().nullable(),
  checkpoint: z.unknown(),
  at: Timestamp,
});
export type PreviousWork = z.infer<typeof PreviousWork>;

const MAX_QUESTION_LENGTH = 2_000;
/** What an agent asks. */
export const Question = z.string().trim().min(1).max(MAX_QUESTION_LENGTH);

/** What somebody has said to an agent. */
export const Answer = z.object({
  text: z.string(),
  actor: z.object({ userId: RecordId, keyId: RecordId }),
  createdAt: Timestamp,
});

export const claimWorkItem = operation({
  name: 'workItems.claim',
  summary:
    'Claim the best ready task (of the given items, else of the project) for an agent: nobody else gets it until the lease ends.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z.strictObject({
    ids: z.array(z.string().min(1).max(200)).min(1).max(MAX_RESOLVED_IDS).optional(),
    projectId: ProjectId.optional(),
    agent: oneLine(200),
    leaseSeconds: z.int().min(MIN_LEASE_SECONDS).max(MAX_LEASE_SECONDS).default(DEFAULT_LEASE_SECONDS),
    leaseToken: LeaseToken.optional().describe('Renews that lease'),
    waitSeconds: z.int().min(0).max(MAX_WAIT_SECONDS).optional().describe('For a task'),
  }),
  output: z.object({
    claimed: z.boolean(),
    workItem: WorkItem.nullable(),
    lease: Lease.nullable(),
    /** For a new claim: the item that the task is part of. */
    parent: z.object({ taskId: z.string(), title: z.string(), description: z.string() }).optional(),
    /** Of a new claim: what is attached, by file name. Absent if there is nothing. */
    attachments: z.array(z.string()).optional(),
    /** For a new claim: the latest comments, oldest first, such as answers to an earlier agent's questions. Absent if there are none. */
    answers: z.array(Answer).optional(),
    /** A review or validation sent the task back: what to fix. */
    rework: Rework.optional(),
    /** An agent worked on the task before, and it has not reached To Document or Done since. */
    previous: PreviousWork.optional(),
    /** Why there was nothing to claim. */
    reason: z.string().optional(),
  }),
  errors: ['NOT_FOUND', 'CONFLICT', 'RATE_LIMITED'],
  waitField: 'waitSeconds',
  example: {
    input: { ids: ['W-E-2'], agent: 'agent 3' },
    output: {
      claimed: true,
      workItem: exampleTask('In Progress', {
        assignee: 'agent 3',
        isAiProcessing: true,
        lease: exampleLease,
        version: 4,
      }),
      lease: { token: leaseToken, expiresAt: times.leaseExpiresAt },
    },
  },
  rest: 'POST /api/work-items/claim',
  mcp: {
    tool: 'claim_work_item',
    title: 'Claim work item',
    names: { ids: 'workItemIds' },
    // Its lease is beside it, and the work needs none of the rest.
    brief: {
      workItem: ['lease', 'boardId', 'boardColumnId', 'projectId', 'parentId', 'position', 'createdAt', 'updatedAt'],
    },
  },
});

export const releaseWorkItem = operation({
  name: 'workItems.release',
  summary: 'Give up a claimed item: column, flags and assignee as before the claim.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z.strictObject({
    workItemId: ItemRef,
    leaseToken: LeaseToken,
    boardColumnId: ColumnRef.optional().describe('Name or UUID: where to, instead of back'),
  }),
  output: z.object({ released: z.boolean(), workItem: WorkItem }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    input: { workItemId: 'W-T-14', leaseToken },
    output: { released: true, workItem: exampleTask('To Do', { version: 5 }) },
  },
  rest: 'POST /api/work-items/:workItemId/release',
  mcp: { tool: 'release_work_item', title: 'Release work item' },
});
