/** Markdown that is written within a length: what does not fit is cut from the tree, so that no markup is left open. */
import { cut } from "../tools/text/TrimText.ts"
import type { Block, Inline } from "./ReadMarkdown.ts"
import { type Dialect, renderMarkdown } from "./RenderMarkdown.ts"

const more: Inline = { _tag: "text", text: "…" }

/** Keeps what comes before a number of characters. */
const cutter = (length: number) => {
  let left = length
  const take = <A>(all: ReadonlyArray<A>, keep: (one: A) => A, ending: ReadonlyArray<A>): ReadonlyArray<A> => {
    const kept: Array<A> = []
    for (const one of all) {
      if (left === 0) return [...kept, ...ending]
      kept.push(keep(one))
    }
    return kept
  }
  const took = (text: string): string => {
    const kept = cut(text, left)
    left -= Math.min(left, text.length)
    return kept
  }
  const inline = (one: Inline): Inline => {
    if ("inside" in one) return { ...one, inside: take(one.inside, inline, []) }
    if (one._tag !== "break") return { ...one, text: took(one.text) }
    left--
    return one
  }
  const line = (inside: ReadonlyArray<Inline>) => take(inside, inline, [more])
  const block = (one: Block): Block => {
    switch (one._tag) {
      case "paragraph":
      case "heading":
        return { ...one, inside: line(one.inside) }
      case "quote":
        return { ...one, blocks: take(one.blocks, block, []) }
      case "list":
        return { ...one, items: take(one.items, (item) => take(item, block, []), []) }
      case "preformatted":
        return { ...one, text: took(one.text) }
      case "table":
        return { ...one, rows: take(one.rows, (row) => take(row, line, []), []) }
      case "rule":
        left--
        return one
    }
  }
  return (blocks: ReadonlyArray<Block>) => take(blocks, block, [{ _tag: "paragraph", tight: false, inside: [more] }])
}

/** At most `max` characters. */
export const renderWithin = (dialect: Dialect, blocks: ReadonlyArray<Block>, max: number): string => {
  const whole = renderMarkdown(dialect, blocks)
  if (whole.length <= max) return whole
  let [fits, exceeds] = [0, max]
  let written = ""
  while (exceeds - fits > 1) {
    const length = Math.floor((fits + exceeds) / 2)
    const shorter = renderMarkdown(dialect, cutter(length)(blocks))
    if (shorter.length > max) exceeds = length
    else {
      fits = length
      written = shorter
    }
  }
  return written
}
