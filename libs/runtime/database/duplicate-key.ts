import mongoose from 'mongoose';

/** MongoDB server error code (error_codes.yml). */
export const DUPLICATE_KEY = 11_000;

/** Whether a unique index refused what an insert was to store. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE_KEY;
}
