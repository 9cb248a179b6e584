import { BUDGET_PERIODS } from '@worktrack/contracts/work-items/costs/budget';
import { date, flag, nullable, number, optional, part, text } from '@worktrack/runtime/database/documents/fields';
import { partSchemaOf, type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const warnedSchema = partSchemaOf({ period: text(), at: date(), isTold: optional(flag()) });

const fields = {
  /** The id of its owner: a project or a work item. */
  _id: text(),
  organizationId: text(),
  projectId: text(),
  /** For a work item. */
  taskId: nullable(text()),
  limitMicrodollars: number(),
  period: text(BUDGET_PERIODS),
  /** For `countedPeriod`: every write that spends adds to it. */
  spentMicrodollars: number(),
  /** The part of it that agents at work have reported and no session has recorded yet. */
  inFlightMicrodollars: optional(number()),
  /** null: must be recounted, because the items below have changed. */
  countedPeriod: nullable(text()),
  /** Increases with spending, and with every change below its item: a count relies on it. */
  revision: number(),
  /** Increases with claims under it, so that they conflict with spending the remainder. */
  claims: optional(number()),
  /** Since when people have to know that little is left, and of which period; whether the log says so: that is the next write's to do that spends. */
  warned: optional(part(warnedSchema)),
};

export type BudgetRecord = Stored<typeof fields>;

const budgetSchema = schemaOf(fields, { collection: 'budgets' });
budgetSchema.index({ organizationId: 1, projectId: 1 });
budgetSchema.index(
  { organizationId: 1, 'warned.at': 1 },
  { partialFilterExpression: { 'warned.at': { $exists: true } } },
);

export const BudgetModel = mongoose.model('Budget', budgetSchema);
