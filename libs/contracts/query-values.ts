/**
 * The values in the text of a query. A comma before a space, or after a backslash (`a\,b`), belongs to a name; two backslashes stand for one. The service and
 * its console share this.
 * @param most that are read
 */
export const partsIn = (text: string, most?: number): string[] => text.split(/(?<=(?<!\\)(?:\\\\)*),(?! )/, most);
export const valuesIn = (text: string, most?: number): string[] =>
  partsIn(text, most).map((part) => part.replace(/\\([\\,])/g, '$1'));

/** The inverse of each of `valuesIn`. */
export const asPart = (value: string): string => value.replace(/\\|,(?! )/g, '\\$&');

/** @param filter a text with any number of values, or a list of such @param instead of a value; undefined: it stays as it is written */
export function replaceValues<Filter>(filter: Filter, instead: (value: string) => string | undefined): Filter {
  const replaced = (text: unknown): unknown => {
    if (typeof text !== 'string') return text;
    return partsIn(text)
      .map((part) => {
        const other = valuesIn(part).map(instead)[0];
        return other === undefined ? part : asPart(other);
      })
      .join();
  };
  return (Array.isArray(filter) ? filter.map(replaced) : replaced(filter)) as Filter;
}
