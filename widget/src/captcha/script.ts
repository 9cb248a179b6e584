import { scriptUrl } from '../trusted.ts';

/** Adds a script to the page, under the nonce of the widget's own tag. Rejects when the page's policy, the network or the hash refuses it. */
export function addScript(url: string, nonce: string, integrity = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = scriptUrl(url);
    script.async = true;
    if (nonce) script.nonce = nonce;
    if (integrity) {
      script.integrity = integrity;
      script.crossOrigin = 'anonymous';
    }
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      script.remove();
      reject(
        new Error(
          `The script ${url} could not be loaded; a Content-Security-Policy needs script-src ${new URL(url).origin}`,
        ),
      );
    });
    document.head.append(script);
  });
}
