/** The page's Trusted Types policy for the two addresses that the widget loads code from; `trusted-types worktrack-feedback` allows it. */
export const POLICY_NAME = 'worktrack-feedback';

interface Policy {
  createScriptURL(url: string): unknown;
}
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy;
}

let policy: Policy | undefined;

/**
 * The address in the form that a page under `require-trusted-types-for 'script'` accepts. It is always one the widget made itself: of its own server, of a blob
 * that it fetched from there, or of a captcha provider's documented script.
 */
export function scriptUrl(url: string): string {
  const factory = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  if (!factory) return url;
  try {
    policy ??= factory.createPolicy(POLICY_NAME, { createScriptURL: (trusted) => trusted });
  } catch {
    // The page does not allow the policy. If it does not require one either, the plain string works.
    return url;
  }
  return policy.createScriptURL(url) as string;
}
