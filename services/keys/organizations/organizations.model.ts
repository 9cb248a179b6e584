import { date, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const fields = {
  _id: text(),
  name: text(),
  createdAt: date(),
};

export type OrganizationDocument = Stored<typeof fields>;

const organizationSchema = schemaOf(fields, { collection: 'organizations' });

export const OrganizationModel = mongoose.model('Organization', organizationSchema);
