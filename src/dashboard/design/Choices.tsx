/** Boxes for any of several values, with a search where they are many. */
import type { ComponentChildren } from "preact"
import { described, FieldNotes, useField } from "./FieldState.tsx"
import { Island } from "./Parts.tsx"

/** A script lets people search a list that is longer. */
const mostInSight = 16

/**
 * Any number of values; for none an empty list, or with `numbers+` nothing. A browser cannot demand one box of several, so the hint does.
 */
export const Choices = ({ as = "all", hint: more, label, name, options, required = false, values }: {
  readonly name: string
  readonly as?: "all" | "numbers" | "numbers+"
  readonly label: string
  readonly options: ReadonlyArray<readonly [value: string, label: ComponentChildren]>
  readonly values: ReadonlyArray<string>
  readonly hint?: ComponentChildren
  readonly required?: boolean
}) => {
  const hint = required ? <>Choose at least one. {more}</> : more
  const field = useField({ name, as, label })
  const chosen = field.typed ?? values
  const boxes = (
    <div class="choices">
      {options.map(([value, text]) => (
        <label class="choice">
          <input type="checkbox" name={field.fieldName} value={value} checked={chosen.includes(value)} />
          <span>{text}</span>
        </label>
      ))}
    </div>
  )
  return (
    <div class="field" role="group" id={field.id} tabindex={-1} aria-labelledby={`${field.id}-label`} {...described(field, hint)}>
      <span class="legend" id={`${field.id}-label`}>{label}</span>
      <input type="hidden" name={field.fieldName} value="" />
      {options.length <= mostInSight ? boxes : <Island name="filter" keep props={null}>{boxes}</Island>}
      <FieldNotes field={field} hint={hint} />
    </div>
  )
}
