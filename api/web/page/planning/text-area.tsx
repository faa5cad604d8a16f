import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { Mistake } from './plans.js';

interface TextAreaProps {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly mistakes: readonly Mistake[];
  readonly edit: (text: string) => void;
}

/** A text with numbers of its lines; those with mistakes are marked. */
export function TextArea({ area, text, mistakes, edit }: TextAreaProps) {
  const numbers = useRef<HTMLOListElement>(null);
  const marked = new Set(mistakes.map(({ place }) => place?.line));
  return (
    <div class="code-text">
      <ol ref={numbers} aria-hidden="true">
        {text.split('\n').map((_, index) => (
          <li key={index} class={marked.has(index + 1) ? 'wrong' : ''}>
            {index + 1}
          </li>
        ))}
      </ol>
      <textarea
        ref={area}
        aria-label="Text of the topology"
        aria-invalid={mistakes.length > 0}
        spellcheck={false}
        wrap="off"
        rows={16}
        value={text}
        onInput={({ currentTarget }) => {
          edit(currentTarget.value);
        }}
        onScroll={({ currentTarget: { scrollTop } }) => {
          numbers.current!.scrollTop = scrollTop;
        }}
      />
    </div>
  );
}
