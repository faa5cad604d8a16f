/** Limit of undeclared values of one tag. Each value of a tag creates a series in InfluxDB's index. */
const MAX_VALUES = 1_000;

/**
 * Text as a tag value. The line protocol cannot express empty values, control characters or a trailing
 * backslash, so these are percent-encoded; all other text is unchanged.
 */
export const encodeTag = (text: string): string =>
  text === '' ? '%' : text.replace(/[%\\\u0000-\u001f\u007f]/g, percent);

/** The inverse of {@link encodeTag}. */
export const decodeTag = (value: string): string =>
  value === '%'
    ? ''
    : value.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

const percent = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

/**
 * Tracks the values of each tag, so that the number of series stays limited whatever names and subjects an
 * operator outputs. Values declared by the environments do not count.
 */
export class TagValues {
  readonly #declared: ReadonlySet<string>;
  readonly #seen = new Map<string, Set<string>>();

  /** @param declared ids of environments, links and zones */
  constructor(declared: Iterable<string>) {
    this.#declared = new Set(declared);
  }

  /** Records a value that the store already has. @param value as stored */
  note(tag: string, value: string): void {
    const text = decodeTag(value);
    if (!this.#declared.has(text)) this.#of(tag).add(text);
  }

  /**
   * The value as stored.
   * @throws RangeError if the tag has too many values already, or the text is invalid
   */
  admit(tag: string, text: string): string {
    if (this.#declared.has(text)) return encodeTag(text);
    const seen = this.#of(tag);
    if (!seen.has(text)) {
      if (/\p{Surrogate}/u.test(text))
        throw new RangeError(`${tag} contains half of a surrogate pair: not valid Unicode`);
      if (seen.size >= MAX_VALUES)
        throw new RangeError(
          `${tag} '${text.slice(0, 64)}' would be its ${MAX_VALUES + 1}st value in this database: each is a series. ` +
            'Take a person by its number, and put other ids into the metadata of events',
        );
      seen.add(text);
    }
    return encodeTag(text);
  }

  #of(tag: string): Set<string> {
    const known = this.#seen.get(tag);
    if (known) return known;
    const made = new Set<string>();
    this.#seen.set(tag, made);
    return made;
  }
}
