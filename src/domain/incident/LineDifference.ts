/** The differences between two versions of a text, line by line. */

interface DifferentLine {
  readonly change: "same" | "added" | "removed"
  readonly line: string
}

/** Cells of the table at most, which a comparison of two texts of 1,000 different lines fills. */
const mostCells = 1_000_000

const marked = (change: DifferentLine["change"], lines: ReadonlyArray<string>): ReadonlyArray<DifferentLine> =>
  lines.map((line) => ({ change, line }))

/** `rest[i][j]`: the length of the longest common subsequence of the lines from i and from j on. */
const commonLengths = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<Uint32Array> => {
  const rest = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = rest[i]
      if (row === undefined) continue
      row[j] = before[i] === after[j]
        ? (rest[i + 1]?.[j + 1] ?? 0) + 1
        : Math.max(rest[i + 1]?.[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return rest
}

const middle = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<DifferentLine> => {
  // Larger texts are shown as replaced: still true, only coarser.
  if (before.length * after.length > mostCells) return [...marked("removed", before), ...marked("added", after)]
  const rest = commonLengths(before, after)
  const lines: Array<DifferentLine> = []
  let [i, j] = [0, 0]
  while (i < before.length && j < after.length) {
    const [left = "", right = ""] = [before[i], after[j]]
    if (left === right) {
      lines.push({ change: "same", line: left })
      i++
      j++
    } else if ((rest[i + 1]?.[j] ?? 0) >= (rest[i]?.[j + 1] ?? 0)) {
      lines.push({ change: "removed", line: left })
      i++
    } else {
      lines.push({ change: "added", line: right })
      j++
    }
  }
  return [...lines, ...marked("removed", before.slice(i)), ...marked("added", after.slice(j))]
}

/** Removed lines stand before the added ones that replace them. */
export const lineDifference = (before: string, after: string): ReadonlyArray<DifferentLine> => {
  const [old, fresh] = [before.split("\n"), after.split("\n")]
  const least = Math.min(old.length, fresh.length)
  let head = 0
  while (head < least && old[head] === fresh[head]) head++
  let tail = 0
  while (tail < least - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++
  return [
    ...marked("same", old.slice(0, head)),
    ...middle(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...marked("same", old.slice(old.length - tail))
  ]
}
