import type { Draft } from './draft.js';
import { selection, type Selection } from './editing.js';

/** All parts as a list, for those who do not point at them. */
export function Parts({ now }: { readonly now: Draft }) {
  const { links, zones, walls } = now;
  return (
    <div class="parts-list">
      <Entry text={`Room ${now.size.x} × ${now.size.y} m`} to={{ part: 'room' }} />
      <Group title="Links" names={links.map(({ id }) => id)} part="links" />
      <Group
        title="Zones"
        names={(zones ?? []).map(({ id, name, kind }) => `${name ?? id}${kind ? `, ${kind}` : ''}`)}
        part="zones"
      />
      <Group title="Walls" names={(walls ?? []).map((_, index) => `Wall ${index + 1}`)} part="walls" />
    </div>
  );
}

function Group({
  title,
  names,
  part,
}: {
  readonly title: string;
  readonly names: readonly string[];
  readonly part: 'links' | 'zones' | 'walls';
}) {
  if (names.length === 0) return null;
  return (
    <div role="group" aria-label={title}>
      <p class="end">{title}</p>
      {names.map((name, index) => (
        <Entry key={index} text={name} to={{ part, index }} />
      ))}
    </div>
  );
}

function Entry({ text, to }: { readonly text: string; readonly to: Selection }) {
  const { value } = selection;
  const isChosen =
    to.part === value.part && (to.part === 'room' || (value.part !== 'room' && to.index === value.index));
  return (
    <button
      type="button"
      class="entry"
      aria-pressed={isChosen}
      onClick={() => {
        selection.value = to;
      }}
    >
      {text}
    </button>
  );
}
