/** A style sheet is imported as its text; the build takes the comments out. */
declare module '*.css' {
  const css: string;
  export default css;
}
