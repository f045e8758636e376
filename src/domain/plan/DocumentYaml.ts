/** Writes a document as YAML, entry by entry: ten thousand entries take seconds. */
import { stringify } from "yaml"
import { mapInSteps, type Steps } from "../tools/Steps.ts"

/** Entries written in one step: about 5 ms. */
const perStep = 20

/** Long texts stay on their line, so that a changed word changes one line. */
const yamlOf = (value: unknown): string => stringify(value, { lineWidth: 0 })

/** The YAML of an encoded document. A list of entries is written at the depth of its name. */
export function* documentYaml(document: Readonly<Record<string, unknown>>): Steps<string> {
  const sections: Array<string> = []
  for (const [name, value] of Object.entries(document)) {
    const entries = Array.isArray(value) && value.length > 0
      ? yield* mapInSteps(value, perStep, (entry: unknown) => yamlOf([entry]))
      : null
    sections.push(entries === null ? yamlOf({ [name]: value }) : `${name}:\n${entries.join("")}`)
  }
  return sections.join("")
}
