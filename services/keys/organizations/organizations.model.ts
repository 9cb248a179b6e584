import mongoose from 'mongoose';

export interface OrganizationDocument {
  _id: string;
  name: string;
  /** Increases when somebody stops being an active owner, so that two such changes conflict. */
  ownersRevision: number;
  createdAt: Date;
}

const organizationSchema = new mongoose.Schema<OrganizationDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    ownersRevision: { type: Number, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'organizations', versionKey: false },
);

export const OrganizationModel = mongoose.model('Organization', organizationSchema);
