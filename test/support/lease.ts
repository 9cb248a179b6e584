/** A part of the servers that nobody else in this run uses. */
export interface Lease {
  /** With a database number of its own. */
  readonly redisUrl: string;
  readonly mongodbUrl: string;
  /** For MONGODB_DATABASE_PREFIX, and for databases that a test makes itself. */
  readonly databasePrefix: string;
  /** For files; removed at the end of the run. */
  readonly folder: string;
}
