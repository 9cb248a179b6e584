import type { ErrorDetail } from '@worktrack/contracts/errors';
import { OperationError } from '@worktrack/contracts/errors';
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** The gateway rejects what it can, so this is for input that reaches a service through a bug of ours: enough to find it. */
const MAX_DETAILS = 20;

/** The error for input that its schema rejected: each field by its dotted path. */
export function validationFailed(issues: readonly Issue[]): OperationError {
  const details = issues
    .slice(0, MAX_DETAILS)
    .flatMap((issue) => detailsOf(issue, []))
    .slice(0, MAX_DETAILS);
  const first = details[0];
  const message = first ? `${first.path || 'The input'}: ${first.message}` : 'The input is wrong.';
  return new OperationError('VALIDATION_FAILED', message, { details });
}

function detailsOf(issue: Issue, parents: readonly PropertyKey[]): ErrorDetail[] {
  const path = [...parents, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys
        .slice(0, MAX_DETAILS)
        .map((key) => ({ path: dotted([...path, key]), message: 'is not a known field' }));
    case 'invalid_union': {
      // The alternative that failed deepest is the intended one.
      const depth = (issues: readonly Issue[]) => Math.max(0, ...issues.map((inner) => inner.path.length));
      const meant = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0];
      if (meant && depth(meant) > 0) return meant.flatMap((inner) => detailsOf(inner, path));
      return [{ path: dotted(path), message: issue.message }];
    }
    default:
      return [{ path: dotted(path), message: issue.message }];
  }
}

const dotted = (path: readonly PropertyKey[]) => path.map(String).join('.');
