/** The languages of the console, and of messages that users get elsewhere. */
export const LANGUAGES = ['en', 'de', 'tr', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];
