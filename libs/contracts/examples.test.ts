import { expect, test } from 'vitest';
import { allOperations } from './catalogue.ts';

const shown = allOperations().filter(({ rest, mcp }) => rest ?? mcp);

test.each(shown.map((operation) => [operation.name, operation] as const))(
  'the example of %s is one',
  (_, operation) => {
    const { example, input, output } = operation;
    expect(example).toBeDefined();
    input.parse(example?.input);
    // An answer may have more fields than are declared, but the example shows exactly what is declared.
    expect(output.parse(example?.output)).toEqual(example?.output);
  },
);
