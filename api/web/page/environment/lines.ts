export interface ChangedLine {
  readonly sign: '+' | '-';
  /** In its version, from 1. */
  readonly number: number;
  readonly text: string;
}

/** Beyond this product of lengths, the whole middle is shown as changed. */
const MOST = 4_000_000;

/** Lines that only one of two texts has, in order, by a longest common subsequence. */
export function linesChanged(before: string, after: string): readonly ChangedLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let [oldEnd, nowEnd] = [old.length, now.length];
  while (oldEnd > start && nowEnd > start && old[oldEnd - 1] === now[nowEnd - 1]) {
    oldEnd--;
    nowEnd--;
  }
  const [gone, come] = [old.slice(start, oldEnd), now.slice(start, nowEnd)];
  const common = gone.length * come.length > MOST ? null : lengthsOf(gone, come);
  const changed: ChangedLine[] = [];
  let [i, j] = [0, 0];
  while (i < gone.length || j < come.length) {
    if (common && i < gone.length && j < come.length && gone[i] === come[j]) {
      i++;
      j++;
    } else if (i < gone.length && (j >= come.length || !common || common[i + 1]![j]! >= common[i]![j + 1]!))
      changed.push({ sign: '-', number: start + i + 1, text: gone[i++]! });
    else changed.push({ sign: '+', number: start + j + 1, text: come[j++]! });
  }
  return changed;
}

/** [i][j]: length of the longest common subsequence of the lines from i and from j on. */
function lengthsOf(one: readonly string[], other: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i]![j] =
        one[i] === other[j]
          ? lengths[i + 1]![j + 1]! + 1
          : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  return lengths;
}
