/** A style sheet that is imported becomes part of the console's one (build.ts). */
declare module '*.css' {}
