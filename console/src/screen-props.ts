/** What a screen is given: the values of the placeholders in its address. */
export interface ScreenProps {
  readonly params: Readonly<Record<string, string>>;
}
