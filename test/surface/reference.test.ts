import { allOperations } from '@worktrack/contracts/catalogue';
import { expect, test } from 'vitest';
import { referencePage } from './reference-page.ts';

test('docs/reference.md is what the contracts say', async () => {
  await expect(referencePage(allOperations())).toMatchFileSnapshot('../../docs/reference.md');
});
