import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { isRecord } from '../api/service-error.ts';
import { dateAndTime } from '../language/format.ts';
import { Markdown } from '../parts/text/markdown.tsx';
import { words } from './messages.ts';
import { Part } from './part.tsx';

interface ResultsProps {
  readonly item: WorkItem;
}

/** What agents ask of people: whoever judges the work reads it before anything else. */
export function Asked({ item: { metadata } }: ResultsProps) {
  const { userActions } = metadata;
  if (typeof userActions !== 'string' || !userActions) return null;
  return (
    <Part title={words.userActions}>
      <Markdown text={userActions} />
    </Part>
  );
}

/** What reviews and validations found: kept in the metadata, which is free-form. */
export function Results({ item: { metadata } }: ResultsProps) {
  const { review, reviewHistory, testResults, documentation } = metadata;
  const reviews = [review, ...(Array.isArray(reviewHistory) ? reviewHistory.toReversed() : [])].filter(isRecord);
  const passed = isRecord(testResults) ? Number(testResults.passed ?? 0) : 0;
  const failed = isRecord(testResults) ? Number(testResults.failed ?? 0) : 0;
  return (
    <>
      {reviews.length > 0 && (
        <Part title={words.review}>
          {reviews.map((each) => (
            <Review key={String(each.reviewedAt)} review={each} />
          ))}
        </Part>
      )}
      {isRecord(testResults) && (
        <Part title={words.validation}>
          <p class="row">
            <span class="tag tag-good">{words.testsPassed({ n: passed })}</span>
            {failed > 0 && <span class="tag tag-bad">{words.testsFailed({ n: failed })}</span>}
          </p>
          <Lines lines={testResults.testFiles} />
        </Part>
      )}
      {isRecord(documentation) && (
        <Part title={words.documentation}>
          {[documentation.summary, documentation.changelogEntry].map(
            (text) => typeof text === 'string' && <Markdown key={text} text={text} />,
          )}
          <Lines lines={documentation.screenshots} />
        </Part>
      )}
    </>
  );
}

function Review({ review }: { readonly review: Readonly<Record<string, unknown>> }) {
  const { reviewedAt } = review;
  const hasPassed = review.result === 'pass';
  return (
    <div class="stack">
      <p class="row">
        <span class={`tag ${hasPassed ? 'tag-good' : 'tag-bad'}`}>{hasPassed ? words.pass : words.fail}</span>
        {typeof reviewedAt === 'string' && !Number.isNaN(Date.parse(reviewedAt)) && (
          <span class="quiet">{dateAndTime(reviewedAt)}</span>
        )}
      </p>
      <Markdown text={String(review.summary ?? '')} />
      {Array.isArray(review.issues) && review.issues.length > 0 && (
        <Markdown text={review.issues.map((issue) => `- ${String(issue).replaceAll('\n', '\n  ')}`).join('\n')} />
      )}
      <Lines lines={review.reviewedFiles} />
    </div>
  );
}

function Lines({ lines }: { readonly lines: unknown }) {
  if (!Array.isArray(lines) || lines.length === 0) return null;
  return (
    <ul>
      {lines.map((line) => (
        <li key={String(line)}>
          <code>{String(line)}</code>
        </li>
      ))}
    </ul>
  );
}
