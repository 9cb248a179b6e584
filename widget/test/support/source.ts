import type { FeedbackItem, Source } from '@worktrack/contracts/feedback/records';
import { expect } from 'vitest';
import type { TestOrganization } from '../../../test/support/organization.ts';

/** A feedback source of its own for a test, and what came in through it. */
export interface TestSource {
  readonly publicKey: string;
  /** The script tag's attribute. */
  readonly tag: { readonly 'data-public-key': string };
  inbox(): Promise<FeedbackItem[]>;
  change(changes: Partial<Source>): Promise<void>;
}

/** Without a captcha and open to every origin, unless `changes` say otherwise. */
export async function createSource(organization: TestOrganization, changes: Partial<Source> = {}): Promise<TestSource> {
  const { data } = await organization.call<Source>('POST', '/api/feedback/sources', {
    name: 'Website',
    requireCaptcha: false,
    ...changes,
  });
  return {
    publicKey: data.publicKey,
    tag: { 'data-public-key': data.publicKey },
    async inbox() {
      const answer = await organization.call<{ items: FeedbackItem[] }>(
        'GET',
        `/api/feedback/items?sourceId=${data.id}`,
      );
      return answer.data.items;
    },
    async change(update) {
      const answer = await organization.call('PATCH', `/api/feedback/sources/${data.id}`, update);
      expect(answer.status).toBe(200);
    },
  };
}
