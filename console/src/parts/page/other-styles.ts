let loading: Promise<void> | undefined;

/** The styles of what is not shown first: a sheet of their own, which the page names (build.ts). */
export function otherStyles(): Promise<void> {
  loading ??= new Promise((resolve, reject) => {
    const named = document.querySelector<HTMLLinkElement>('link[rel=prefetch][as=style]');
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = named?.href ?? '';
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      loading = undefined;
      reject(new Error('The styles could not be loaded.'));
    };
    document.head.append(link);
  });
  return loading;
}
