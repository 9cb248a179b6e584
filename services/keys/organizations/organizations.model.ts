import mongoose from 'mongoose';

export interface OrganizationDocument {
  _id: string;
  name: string;
  createdAt: Date;
}

const organizationSchema = new mongoose.Schema<OrganizationDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'organizations', versionKey: false },
);

export const OrganizationModel = mongoose.model('Organization', organizationSchema);
