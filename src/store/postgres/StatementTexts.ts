/** The texts of statements, kept with the templates that make them: joining a long one again costs more than looking up its name. */
import type { Statement } from "@effect/sql"
import type { Step } from "./Step.ts"

/** A text, and the literals between its parameters (null). */
interface Variant {
  readonly parts: ReadonlyArray<string | null>
  readonly text: string
}

/** A template has few, one for each set of fragments that its optional parts may be. */
const mostVariants = 8

/** The literal of a segment, or null for a parameter; undefined for what is written out of its values. */
const partOf = (segment: Statement.Segment): string | null | undefined =>
  segment._tag === "Parameter" ? null : segment._tag === "Literal" && segment.params === undefined ? segment.value : undefined

const fits = ({ parts }: Variant, segments: ReadonlyArray<Statement.Segment>): boolean => {
  if (parts.length !== segments.length) return false
  for (let at = 0; at < parts.length; at++) {
    const segment = segments[at]
    if (segment === undefined || partOf(segment) !== parts[at]) return false
  }
  return true
}

const isFixed = (part: string | null | undefined): part is string | null => part !== undefined

export const makeStatementTexts = () => {
  const byTemplate = new WeakMap<object, Array<Variant>>()
  return (template: object, statement: Statement.Statement<unknown>): Step => {
    const { segments } = statement
    const variants = byTemplate.get(template)
    const known = variants?.find((one) => fits(one, segments))
    if (known !== undefined) {
      const values: Array<unknown> = []
      for (const segment of segments) if (segment._tag === "Parameter") values.push(segment.value)
      return { text: known.text, values }
    }
    const [text, values] = statement.compile()
    const parts = segments.map(partOf)
    if (parts.every(isFixed) && (variants?.length ?? 0) < mostVariants) {
      byTemplate.set(template, [...variants ?? [], { parts, text }])
    }
    return { text, values }
  }
}
