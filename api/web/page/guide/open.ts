import { signal } from '@preact/signals';

const CLOSED = 'csiflow-guide';

/** Whether the first steps are displayed: until somebody closes them in this browser, and after that on request. */
export const isGuideOpen = signal(localStorage.getItem(CLOSED) === null);

export function toggleGuide(): void {
  isGuideOpen.value = !isGuideOpen.value;
  if (!isGuideOpen.value) localStorage.setItem(CLOSED, 'closed');
  else requestAnimationFrame(() => document.querySelector('#guide')?.scrollIntoView({ block: 'nearest' }));
}
