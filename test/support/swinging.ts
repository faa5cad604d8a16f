import type { Window } from '../../pipeline/model/index.js';

/** The same links with channels that swing as if somebody walked: a few decibels, at another time on each carrier. */
export const swinging = (links: Window['links']): Window['links'] =>
  links.map((link) => {
    const frame = 2 * link.subcarriers.length;
    const values = link.values.map((_, i) => {
      const [point, carrier] = [Math.floor(i / frame), (i % frame) >> 1];
      return 10 * (1 + 0.3 * Math.cos(0.4 * point + 0.5 * carrier));
    });
    return { ...link, values };
  });
