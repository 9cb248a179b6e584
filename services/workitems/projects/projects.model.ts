import type { DependencyMet, Gates } from '@worktrack/contracts/projects/project';
import type { Template } from '@worktrack/contracts/projects/template';
import mongoose from 'mongoose';

/** One of a project's. An item stores the ids of its own. */
export interface LabelRecord {
  id: string;
  name: string;
  colour: string;
}

/** Labels by their ids, which may have been deleted since. */
export type TemplateRecord = Template;

export interface ProjectRecord {
  _id: string;
  organizationId: string;
  name: string;
  key: string;
  description: string;
  techStack: string[];
  repositories: string[];
  defaultBoardId: string;
  /**
   * Incremented by each write, and by what must not overtake a deletion of the project (holdProject): orders the project's events. Absent in those that earlier
   * versions stored.
   */
  revision?: number;
  /** Counts changes to dependencies that might close a cycle together with others (dependencies/cycle.ts). Absent before the first. */
  dependencyChanges?: number;
  /** Something in it has a budget, or had one. Known to every write, like the default board. */
  hasBudgets?: boolean;
  /** Absent: `warn`. Known to every write, like the default board. */
  gates?: Gates;
  /** Absent: `review`. Its boards have a copy, for what reads boards anyway. */
  dependencyMet?: DependencyMet;
  /** Its boards have a copy. Absent: none. */
  labels?: LabelRecord[];
  /** Absent: none. */
  templates?: TemplateRecord[];
  createdAt: Date;
  updatedAt: Date;
}

export const labelsSchema = {
  type: [{ _id: false, id: { type: String, required: true }, name: { type: String, required: true }, colour: String }],
  default: undefined,
};
const templateSchema = new mongoose.Schema<TemplateRecord>(
  {
    name: { type: String, required: true },
    type: { type: String, required: true },
    title: String,
    description: String,
    priority: String,
    labels: { type: [String], default: undefined },
  },
  { _id: false },
);

const projectSchema = new mongoose.Schema<ProjectRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    name: { type: String, required: true },
    key: { type: String, required: true },
    description: { type: String, default: '' },
    techStack: { type: [String], required: true },
    repositories: { type: [String], required: true },
    defaultBoardId: { type: String, required: true },
    revision: { type: Number },
    dependencyChanges: Number,
    hasBudgets: Boolean,
    gates: String,
    dependencyMet: String,
    labels: labelsSchema,
    templates: { type: [templateSchema], default: undefined },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'projects', versionKey: false },
);
projectSchema.index({ organizationId: 1, _id: 1 });
projectSchema.index({ organizationId: 1, key: 1 });

export const ProjectModel = mongoose.model('Project', projectSchema);
