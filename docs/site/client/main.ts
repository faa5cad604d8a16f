import { followSearch } from './search.js';
import { followTheme } from './theme.js';

followTheme();
followSearch();

// On wide screens the list of pages is always open.
const menu = document.querySelector<HTMLDetailsElement>('#menu')!;
const wide = matchMedia('(min-width: 60rem)');
const openMenu = (): void => {
  menu.open = wide.matches;
};
wide.addEventListener('change', openMenu);
openMenu();
document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest' });
scrollTo(0, 0);
