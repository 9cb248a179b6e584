import type { View } from '@worktrack/contracts/work-items/lists/view';
import mongoose from 'mongoose';

export interface ViewRecord {
  _id: string;
  organizationId: string;
  projectId: string;
  name: string;
  /** Who sees it: the id of its owner, or `EVERYBODY`. */
  seenBy: string;
  createdBy: string;
  filters: View['filters'];
  /** Incremented by each write: orders its events. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

export const EVERYBODY = 'everybody';

const viewSchema = new mongoose.Schema<ViewRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    projectId: { type: String, required: true },
    name: { type: String, required: true },
    seenBy: { type: String, required: true },
    createdBy: { type: String, required: true },
    filters: { type: mongoose.Schema.Types.Mixed, required: true },
    revision: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'views', versionKey: false, minimize: false },
);
viewSchema.index({ organizationId: 1, projectId: 1, seenBy: 1, _id: 1 });
viewSchema.index({ organizationId: 1, seenBy: 1, _id: 1 });

export const ViewModel = mongoose.model('View', viewSchema);
