import { effect, signal } from '@preact/signals';

const THEME = 'csiflow-theme';
const THEMES = ['system', 'dark', 'light'] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(THEMES.find((one) => one === localStorage.getItem(THEME)) ?? 'system');

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
  localStorage.setItem(THEME, theme.value);
}

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});
