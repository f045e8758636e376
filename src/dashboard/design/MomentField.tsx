/** A field for a moment, in the person's zone unless another is given. */
import { DateTime, Option } from "effect"
import { useVisit } from "../frame/Visit.ts"
import type { FieldProps } from "./FieldState.tsx"
import { Field } from "./Form.tsx"

/** `2026-11-22T09:30`, as a clock in the zone shows it. */
const localTime = (at: DateTime.Utc, zone: string): string =>
  Option.match(DateTime.makeZoned(at, { timeZone: zone }), {
    onNone: () => DateTime.formatIso(at).slice(0, 16),
    onSome: (zoned) => DateTime.formatIsoOffset(zoned).slice(0, 16)
  })

export const MomentField = ({ at, hint, zone, ...field }: Omit<FieldProps, "as" | "value"> & {
  readonly at: DateTime.Utc | null
  readonly zone?: string
}) => {
  const visit = useVisit()
  const shown = zone ?? visit.zone
  return (
    <Field
      {...field}
      as={`moment@${shown}`}
      type="datetime-local"
      value={at === null ? null : localTime(at, shown)}
      hint={
        <>
          Time in {shown}.{hint === undefined ? null : <>{hint}</>}
        </>
      }
    />
  )
}
