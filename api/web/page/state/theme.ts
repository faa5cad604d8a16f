import { computed, effect, signal } from '@preact/signals';

const THEME = 'csiflow-theme';
const THEMES = ['system', 'dark', 'light'] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(THEMES.find((one) => one === localStorage.getItem(THEME)) ?? 'system');

const light = matchMedia('(prefers-color-scheme: light)');
const systemIsLight = signal(light.matches);
light.addEventListener('change', () => (systemIsLight.value = light.matches));

/** The colours that are shown: those of the system, unless somebody chose others. */
export const shownTheme = computed(() =>
  theme.value === 'system' ? (systemIsLight.value ? 'light' : 'dark') : theme.value,
);

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
  localStorage.setItem(THEME, theme.value);
}

effect(() => {
  document.documentElement.dataset['theme'] = shownTheme.value;
});
