import { Attachment } from '@worktrack/contracts/attachments/attachment';
import { FeedbackItem, Source } from '@worktrack/contracts/feedback/records';
import { ApiKey, CreatedApiKey, User } from '@worktrack/contracts/keys/records';
import { Board } from '@worktrack/contracts/projects/board';
import { Project } from '@worktrack/contracts/projects/project';
import { HistoryEvent } from '@worktrack/contracts/work-items/history-event';
import { WorkItem, WorkItemSummary } from '@worktrack/contracts/work-items/work-item';
import { z } from 'zod';

/** The records that the document names; all other results are described where they occur. */
const RECORDS: Readonly<Record<string, z.ZodType>> = {
  WorkItem,
  WorkItemSummary,
  HistoryEvent,
  Project,
  Board,
  Attachment,
  FeedbackItem,
  FeedbackSource: Source,
  ApiKey,
  CreatedApiKey,
  User,
};

export const recordRegistry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(RECORDS)) recordRegistry.add(schema, { id });
