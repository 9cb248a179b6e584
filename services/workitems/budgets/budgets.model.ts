import { BUDGET_PERIODS, type BudgetPeriod } from '@worktrack/contracts/work-items/costs/budget';
import mongoose from 'mongoose';

export interface BudgetRecord {
  /** The id of its owner: a project or a work item. */
  _id: string;
  organizationId: string;
  projectId: string;
  /** For a work item. */
  taskId: string | null;
  limitMicrodollars: number;
  period: BudgetPeriod;
  /** For `countedPeriod`: every write that spends adds to it. */
  spentMicrodollars: number;
  /** The part of it that agents at work have reported and no session has recorded yet. */
  inFlightMicrodollars?: number;
  /** null: must be recounted, because what is below it has changed. */
  countedPeriod: string | null;
  /** Increases with spending, and with every change to what is below: a count relies on it. */
  revision: number;
  /** Increases with claims under it, so that they conflict with spending the remainder. */
  claims?: number;
  /** Since when people have to know that little is left, and of which period; whether the log says so: that is the next write's to do that spends. */
  warned?: { period: string; at: Date; isTold?: boolean } | undefined;
}

const budgetSchema = new mongoose.Schema<BudgetRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    projectId: { type: String, required: true },
    taskId: { type: String, default: null },
    limitMicrodollars: { type: Number, required: true },
    period: { type: String, enum: BUDGET_PERIODS, required: true },
    spentMicrodollars: { type: Number, required: true },
    inFlightMicrodollars: Number,
    countedPeriod: { type: String, default: null },
    revision: { type: Number, required: true },
    claims: Number,
    warned: {
      type: new mongoose.Schema({ period: String, at: Date, isTold: Boolean }, { _id: false }),
      default: undefined,
    },
  },
  { collection: 'budgets', versionKey: false },
);
budgetSchema.index({ organizationId: 1, projectId: 1 });
budgetSchema.index(
  { organizationId: 1, 'warned.at': 1 },
  { partialFilterExpression: { 'warned.at': { $exists: true } } },
);

export const BudgetModel = mongoose.model('Budget', budgetSchema);
