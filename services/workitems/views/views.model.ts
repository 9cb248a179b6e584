import type { View } from '@worktrack/contracts/work-items/lists/view';
import { date, mixed, number, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const fields = {
  _id: text(),
  organizationId: text(),
  projectId: text(),
  name: text(),
  /** Who sees it: the id of its owner, or `EVERYBODY`. */
  seenBy: text(),
  createdBy: text(),
  filters: mixed<View['filters']>(),
  /** Incremented by each write: orders its events. */
  revision: number(),
  createdAt: date(),
  updatedAt: date(),
};

export type ViewRecord = Stored<typeof fields>;

export const EVERYBODY = 'everybody';

const viewSchema = schemaOf(fields, { collection: 'views', minimize: false });
viewSchema.index({ organizationId: 1, projectId: 1, seenBy: 1, _id: 1 });
viewSchema.index({ organizationId: 1, seenBy: 1, _id: 1 });

export const ViewModel = mongoose.model('View', viewSchema);
