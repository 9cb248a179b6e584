/** In this order: most claim to be one of those further down, too. */
const BROWSERS = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|Chromium|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;
const SYSTEMS = [
  ['iOS', /\b(iPhone|iPad|iPod)\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** What a browser calls itself, in a few words by which its user recognizes it. */
export function browserName(userAgent: string | null | undefined): string | null {
  if (!userAgent) return null;
  const [browser, system] = [BROWSERS, SYSTEMS].map((all) => all.find(([, mark]) => mark.test(userAgent))?.[0]);
  if (!browser) return system ?? null;
  return system ? `${browser} on ${system}` : browser;
}
