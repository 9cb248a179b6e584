/** Those of the console, and of what users are told elsewhere. */
export const LANGUAGES = ['en', 'de', 'tr', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];
