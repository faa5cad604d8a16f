import MiniSearch, { type SearchResult } from 'minisearch';

type Section = readonly [address: string, title: string, heading: string, text: string];
declare global {
  var csiflowSections: readonly Section[] | undefined;
}

const SHOWN = 12;
const EXCERPT = 140;
/** Found after the pages for users. */
const ASIDE = /^(?:decisions|reports|project)\//;
const input = document.querySelector<HTMLInputElement>('#search')!;
const list = document.querySelector<HTMLUListElement>('#results')!;
const status = document.querySelector('#found')!;
const root = document.body.dataset['root']!;

let index: Promise<MiniSearch> | undefined;

/** Loads the sections at the first use: a megabyte, which most visits do not need. */
const loaded = (): Promise<MiniSearch> =>
  (index ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${root}/sections.js`;
    script.addEventListener('error', () => {
      reject(new Error(`${script.src} cannot be loaded`));
    });
    script.addEventListener('load', () => {
      const search = new MiniSearch({
        fields: ['title', 'heading', 'text'],
        searchOptions: {
          boost: { title: 2, heading: 4 },
          boostDocument: (id) => (ASIDE.test(csiflowSections![Number(id)]![0]) ? 0.4 : 1),
          prefix: (term) => term.length > 2,
          fuzzy: (term) => (term.length > 4 ? 0.2 : false),
          combineWith: 'AND',
        },
      });
      search.addAll(csiflowSections!.map(([, title, heading, text], id) => ({ id, title, heading, text })));
      resolve(search);
    });
    document.head.append(script);
  }));

/** The search box: `/` goes to it, arrows choose a result, Enter opens it, Escape closes the list. */
export function followSearch(): void {
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    input.focus();
  });
  input.addEventListener('input', () => void search());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter') chosen()?.querySelector('a')!.click();
    else if (event.key === 'Escape') close();
  });
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !input.parentElement!.contains(target)) close();
  });
}

async function search(): Promise<void> {
  const words = input.value.trim();
  if (words === '') {
    close();
    return;
  }
  try {
    const found = (await loaded()).search(words);
    if (words !== input.value.trim()) return;
    show(found);
  } catch (error) {
    status.textContent = String(error);
  }
}

function show(found: readonly SearchResult[]): void {
  const items = found.slice(0, SHOWN).map((result, at) => {
    const [address, title, heading, text] = csiflowSections![Number(result.id)]!;
    const link = document.createElement('a');
    link.href = `${root}/${address}`;
    link.tabIndex = -1;
    const name = document.createElement('strong');
    name.textContent = heading;
    const page = document.createElement('span');
    page.textContent = heading === title ? '' : title;
    const excerpt = document.createElement('p');
    excerpt.append(...excerptOf(text, result.terms));
    link.append(name, page, excerpt);
    link.addEventListener('click', close);
    const item = document.createElement('li');
    item.id = `result-${at}`;
    item.role = 'option';
    item.ariaSelected = 'false';
    item.append(link);
    return item;
  });
  list.replaceChildren(...items);
  list.hidden = items.length === 0;
  input.ariaExpanded = String(items.length > 0);
  input.removeAttribute('aria-activedescendant');
  status.textContent = found.length === 0 ? 'Nothing found' : `${found.length} found`;
  if (items.length > 0) choose(1);
}

/** Text around the first word that was found, which is marked. */
function excerptOf(text: string, terms: readonly string[]): (string | Node)[] {
  const lower = text.toLowerCase();
  const hits = terms
    .map((term) => ({ at: lower.indexOf(term), length: term.length }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  const [hit] = hits;
  if (!hit) return [text.slice(0, EXCERPT)];
  const from = Math.max(0, hit.at - EXCERPT / 2);
  const mark = document.createElement('mark');
  mark.textContent = text.slice(hit.at, hit.at + hit.length);
  const after = text.slice(hit.at + hit.length, from + EXCERPT);
  return [`${from > 0 ? '…' : ''}${text.slice(from, hit.at)}`, mark, after];
}

const chosen = (): HTMLElement | null => list.querySelector<HTMLElement>('[aria-selected=true]');

function choose(step: number): void {
  const items = [...list.children] as HTMLElement[];
  if (items.length === 0) return;
  const old = chosen();
  const next = items[((old ? items.indexOf(old) : -1) + step + items.length) % items.length]!;
  if (old) old.ariaSelected = 'false';
  next.ariaSelected = 'true';
  next.scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', next.id);
}

function close(): void {
  list.hidden = true;
  list.replaceChildren();
  status.textContent = '';
  input.ariaExpanded = 'false';
  input.removeAttribute('aria-activedescendant');
}
