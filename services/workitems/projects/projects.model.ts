import type { DependencyMet, Gates } from '@worktrack/contracts/projects/project';
import type { Template } from '@worktrack/contracts/projects/template';
import {
  date,
  flag,
  number,
  optional,
  parts,
  text,
  texts,
  withDefault,
} from '@worktrack/runtime/database/documents/fields';
import { partSchemaOf, type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** One of a project's. An item stores the ids of its own. */
const labelFields = { id: text(), name: text(), colour: text() };
export type LabelRecord = Stored<typeof labelFields>;
export const labelSchema = partSchemaOf(labelFields);

const templateFields = {
  name: text(),
  type: text<Template['type']>(),
  title: optional(text()),
  description: optional(text()),
  priority: optional(text<NonNullable<Template['priority']>>()),
  /** By their ids, which may have been deleted since. */
  labels: optional(texts()),
};
export type TemplateRecord = Stored<typeof templateFields>;

const fields = {
  _id: text(),
  organizationId: text(),
  name: text(),
  key: text(),
  description: withDefault(text(), ''),
  techStack: texts(),
  repositories: texts(),
  defaultBoardId: text(),
  /**
   * Incremented by each write, and by everything that must not overtake a deletion of the project (holdProject). It orders the project's events. Absent in
   * projects of earlier versions.
   */
  revision: optional(number()),
  /** Counts changes to dependencies that might close a cycle together with others (dependencies/cycle.ts). Absent before the first. */
  dependencyChanges: optional(number()),
  /** The same of those that close none among themselves. */
  dependencyAdditions: optional(number()),
  /** Something in it has a budget, or had one. Known to every write, like the default board. */
  hasBudgets: optional(flag()),
  /** Absent: `warn`. Known to every write, like the default board. */
  gates: optional(text<Gates>()),
  /** Absent: `review`. Its boards have a copy, for what reads boards anyway. */
  dependencyMet: optional(text<DependencyMet>()),
  /** Its boards have a copy. Absent: none. */
  labels: optional(parts(labelSchema)),
  /** Absent: none. */
  templates: optional(parts(partSchemaOf(templateFields))),
  createdAt: date(),
  updatedAt: date(),
};

export type ProjectRecord = Stored<typeof fields>;

const projectSchema = schemaOf(fields, { collection: 'projects' });
projectSchema.index({ organizationId: 1, _id: 1 });
projectSchema.index({ organizationId: 1, key: 1 });

export const ProjectModel = mongoose.model('Project', projectSchema);
