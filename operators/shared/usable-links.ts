import type { LeftOutLink, Window } from '../../pipeline/model/index.js';

/** Links with a fault, and silent ones. */
export const leftOutOf = ({
  links,
  silent = [],
}: Pick<Window, 'links' | 'silent'>): readonly LeftOutLink[] => [
  ...links.flatMap(({ id, quality: { fault } }) => (fault === null ? [] : [{ link: id, fault }])),
  ...silent.map((link) => ({ link, fault: 'silent' as const })),
];

/** The window without faulty links; the window itself if there are none. */
export const withUsableLinks = (window: Window): Window =>
  window.links.every(({ quality }) => quality.fault === null)
    ? window
    : { ...window, links: window.links.filter(({ quality }) => quality.fault === null) };
