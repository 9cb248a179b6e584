import type { Identity } from '@worktrack/contracts/keys/identity';

export interface Authenticator {
  /**
   * @param authorizationHeader the value of `Authorization`, if there is one
   * @returns whom the key speaks for; `callerOf(identity, sessionProjectId)` makes the caller of it
   * @throws OperationError API_KEY_MISSING, API_KEY_INVALID, or UNAVAILABLE when neither cache nor keys service answers
   */
  authenticate(authorizationHeader: string | undefined, requestId: string): Promise<Identity>;
  /** Sends what is gathered of the keys' last use. Called once no request is under way. */
  stop(): Promise<void>;
}
