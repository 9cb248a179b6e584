import type { DependencyMet } from '@worktrack/contracts/projects/project';
import mongoose from 'mongoose';
import { type LabelRecord, labelsSchema } from '../projects/projects.model.ts';
import type { Role } from './progress.ts';

export interface ColumnRecord {
  id: string;
  name: string;
  /** Absent in boards that are not migrated yet (columns.ts). */
  role?: Role | undefined;
  /** Absent, or null: none. */
  limit?: number | null | undefined;
}

export interface BoardRecord {
  _id: string;
  organizationId: string;
  projectId: string;
  name: string;
  /** In board order. */
  columns: ColumnRecord[];
  /** Raised by every change to the columns. See tallies.repository.ts. */
  columnsVersion: number;
  /** The project's, which raises columnsVersion when it changes it. Absent: `review`. */
  dependencyMet?: DependencyMet;
  /** The project's, likewise. Absent: none. */
  labels?: LabelRecord[];
  /** Incremented by each write: orders the board's events. Absent in records stored by earlier versions. */
  revision?: number;
  createdAt: Date;
  updatedAt: Date;
}

const boardSchema = new mongoose.Schema<BoardRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    projectId: { type: String, required: true },
    name: { type: String, required: true },
    columns: [
      {
        _id: false,
        id: { type: String, required: true },
        name: { type: String, required: true },
        role: String,
        limit: Number,
      },
    ],
    dependencyMet: String,
    labels: labelsSchema,
    columnsVersion: { type: Number, required: true },
    revision: Number,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'boards', versionKey: false, id: false },
);
boardSchema.index({ organizationId: 1, projectId: 1, _id: 1 });
boardSchema.index({ organizationId: 1, 'columns.id': 1 });

export const BoardModel = mongoose.model('Board', boardSchema);
