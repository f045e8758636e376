/** The thread that parses YAML: texts of strangers may be slow to parse, so they are kept off the event loop. */
import { parentPort, workerData } from "node:worker_threads"
import { type Document, isScalar, LineCounter, parseDocument, visit } from "yaml"
import { isRounded } from "../../domain/tools/json/BoundedJson.ts"
import { yamlProblem } from "../../domain/tools/text/YamlProblem.ts"
import type { DocumentReply } from "./ParseYaml.ts"

/** How often all aliases together may be expanded. */
const mostAliases = 1000

/** Values of a document, with aliases expanded. */
const mostValues = 300_000

const deepest = 64

/** How many values it holds; Infinity above the limits. Counts an aliased value each time, as JSON would write it. */
const valuesIn = (value: unknown, depth: number, room: number): number => {
  if (depth > deepest) return Infinity
  if (typeof value !== "object" || value === null) return 1
  let count = 1
  for (const inner of Object.values(value)) {
    count += valuesIn(inner, depth + 1, room - count)
    if (count > room) return Infinity
  }
  return count
}

/** Offset of the first repeated key of a map; null if there is none. The parser would compare each key with all before it. */
const repeatedKey = (document: Document.Parsed): number | null => {
  let first = Infinity
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const name: unknown = typeof key.value === "symbol" ? key.value.description : key.value
        if (seen.has(name)) first = Math.min(first, key.range?.[0] ?? 0)
        seen.add(name)
      }
    }
  })
  return first === Infinity ? null : first
}

/** As in JSON of callers, an integer that JavaScript would round is the text of its digits. */
const keepIntegers = (document: Document.Parsed): void =>
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "number" && isRounded(node.source ?? "")) node.value = node.source
    }
  })

const reply = (text: string): DocumentReply => {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { merge: true, prettyErrors: true, stringKeys: true, uniqueKeys: false, lineCounter })
  const problem = yamlProblem(document, lineCounter)
  if (problem !== null) return { _tag: "Refused", why: problem.split("\n")[0] ?? problem }
  const repeated = repeatedKey(document)
  if (repeated !== null) {
    const { col, line } = lineCounter.linePos(repeated)
    return { _tag: "Refused", why: `Map keys must be unique at line ${line}, column ${col}:` }
  }
  keepIntegers(document)
  const value: unknown = document.toJS({ maxAliasCount: mostAliases })
  return valuesIn(value, 0, mostValues) > mostValues
    ? { _tag: "Refused", why: `The document holds more than ${mostValues} values, or is nested more than ${deepest} levels deep` }
    : { _tag: "Parsed", json: JSON.stringify(value ?? null) }
}

if (typeof workerData === "string") parentPort?.postMessage(reply(workerData))
