/** The first problem of a YAML text, in words for its author: those of the parser are partly for programmers. */
import { type Document, isAlias, isNode, type LineCounter, visit } from "yaml"

/** The first alias that nothing before it is anchored as. The parser finds it only when it makes values, and throws. */
const danglingAlias = (document: Document.Parsed) => {
  const anchors = new Set<string>()
  const found: Array<{ readonly source: string; readonly at: number }> = []
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) {
        if (anchors.has(node.source)) return undefined
        found.push({ source: node.source, at: node.range?.[0] ?? 0 })
        return visit.BREAK
      }
      if (isNode(node) && node.anchor !== undefined) anchors.add(node.anchor)
      return undefined
    }
  })
  return found[0] ?? null
}

/** Null for a text without problems. */
export const yamlProblem = (document: Document.Parsed, lines: LineCounter): string | null => {
  const [problem] = document.errors
  if (problem !== undefined) {
    return problem.code === "MULTIPLE_DOCS"
      ? `A second YAML document begins at line ${lines.linePos(problem.pos[0]).line}. Give one document`
      : problem.message
  }
  const alias = danglingAlias(document)
  if (alias === null) return null
  const { col, line } = lines.linePos(alias.at)
  return `No &${alias.source} is before *${alias.source} at line ${line}, column ${col}. Put a text that begins with * in quotes`
}
