/**
 * The values that a text of a query holds, each as it is written there, as the service splits them (libs/contracts/several.ts): a comma before a space, or
 * after a backslash, is part of a name, and two backslashes are one.
 */
export const partsIn = (text: string): string[] => text.split(/(?<=(?<!\\)(?:\\\\)*),(?! )/);
export const valuesIn = (text: string): string[] => partsIn(text).map((part) => part.replace(/\\([\\,])/g, '$1'));

/** The inverse of each of `valuesIn`. */
export const asPart = (value: string): string => value.replace(/\\|,(?! )/g, '\\$&');
