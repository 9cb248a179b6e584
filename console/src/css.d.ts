/** An imported style sheet becomes part of the console's single one (build.ts). */
declare module '*.css' {}
