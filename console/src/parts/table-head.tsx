interface TableHeadProps {
  readonly names: readonly string[];
  /** Which columns are of numbers, from 0. */
  readonly numbers?: readonly number[];
}

/** The names of a table's columns. */
export function TableHead({ names, numbers = [] }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {names.map((name, at) => (
          <th key={name} scope="col" class={numbers.includes(at) ? 'number' : undefined}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
