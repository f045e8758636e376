/** A field for a duration, written as people say it: `90`, `5 min`, `1h 30m`. */
import { writeDuration } from "../../domain/tools/time/SpokenDuration.ts"
import { type DurationType, unitOf } from "../frame/FormBody.ts"
import type { FieldProps } from "./FieldState.tsx"
import { Field } from "./Form.tsx"

export const DurationField = ({ as, placeholder = "5 min", value, ...field }: Omit<FieldProps, "as" | "value"> & {
  /** Says the unit of the argument. */
  readonly as: DurationType
  readonly placeholder?: string
  readonly value?: number | null | undefined
}) => (
  <Field
    {...field}
    as={as}
    value={value === null || value === undefined ? null : writeDuration(value * (unitOf(as) ?? 1))}
    attributes={{ placeholder, maxlength: 40, autocomplete: "off", spellcheck: "false" }}
  />
)
