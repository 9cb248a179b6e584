import { expect, test } from 'vitest';
import { taskAt } from './markdown-tasks.ts';

const TEXT = `# Tasks
- [ ] one
  1. [x] two
\`\`\`md
- [ ] no task
\`\`\`
> * [ ] three
- [ ]not one`;

test.each([
  [0, '- [ ] one', '- [x] one'],
  [1, '1. [x] two', '1. [ ] two'],
  [2, '> * [ ] three', '> * [x] three'],
])('task %d is ticked, or no longer, and nothing else changes', (at, before, after) => {
  expect(taskAt(TEXT, at)).toBe(TEXT.replace(before, after));
});

test('one that is not there changes nothing', () => {
  expect(taskAt(TEXT, 3)).toBe(TEXT);
});
