import type { LeftOutLink, Window } from '../../pipeline/model/index.js';

/** Links that cannot be right. */
export const leftOutOf = ({ links }: Pick<Window, 'links'>): readonly LeftOutLink[] =>
  links.flatMap(({ id, quality: { fault } }) => (fault === null ? [] : [{ link: id, fault }]));

/** The window without the links that cannot be right, so that none of them has a say; itself where all can. */
export const withUsableLinks = (window: Window): Window =>
  window.links.every(({ quality }) => quality.fault === null)
    ? window
    : { ...window, links: window.links.filter(({ quality }) => quality.fault === null) };
