/** A style sheet is imported as its text; the build removes the comments. */
declare module '*.css' {
  const css: string;
  export default css;
}
