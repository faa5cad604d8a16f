const KEY = 'csiflow-theme';

/** The button changes between light and dark, and remembers it; without a choice the system decides. */
export function followTheme(): void {
  const root = document.documentElement;
  document.querySelector('#theme')!.addEventListener('click', () => {
    const isDark =
      root.dataset['theme'] === 'dark' ||
      (root.dataset['theme'] !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
    const theme = isDark ? 'light' : 'dark';
    root.dataset['theme'] = theme;
    localStorage.setItem(KEY, theme);
  });
}
