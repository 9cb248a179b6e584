/** What a screen is given: what the placeholders of its address hold. */
export interface ScreenProps {
  readonly params: Readonly<Record<string, string>>;
}
