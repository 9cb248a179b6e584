import type { ColumnRole } from '@worktrack/contracts/projects/column-roles';
import type { DependencyMet } from '@worktrack/contracts/projects/project';
import { date, nullable, number, optional, parts, text } from '@worktrack/runtime/database/documents/fields';
import { partSchemaOf, type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';
import { labelSchema } from '../projects/projects.model.ts';

const columnFields = {
  id: text(),
  name: text(),
  /** What the column is for. */
  role: nullable(text<ColumnRole>()),
  /** Absent, or null: none. */
  limit: optional(nullable(number())),
};

export type ColumnRecord = Stored<typeof columnFields>;

const fields = {
  _id: text(),
  organizationId: text(),
  projectId: text(),
  name: text(),
  /** In board order. */
  columns: parts(partSchemaOf(columnFields)),
  /** The project's, which raises columnsVersion when it changes it. Absent: `review`. */
  dependencyMet: optional(text<DependencyMet>()),
  /** The project's, likewise. Absent: none. */
  labels: optional(parts(labelSchema)),
  /** Raised by every change to the columns. See tallies.repository.ts. */
  columnsVersion: number(),
  /** Incremented by each write: orders the board's events. Absent in records stored by earlier versions. */
  revision: optional(number()),
  createdAt: date(),
  updatedAt: date(),
};

export type BoardRecord = Stored<typeof fields>;

const boardSchema = schemaOf(fields, { collection: 'boards', id: false });
boardSchema.index({ organizationId: 1, projectId: 1, _id: 1 });
boardSchema.index({ organizationId: 1, 'columns.id': 1 });

export const BoardModel = mongoose.model('Board', boardSchema);
