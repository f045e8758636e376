/** Fields for moments and time zones. */
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

export const MomentField = ({ at, zone, ...field }: Omit<FieldProps, "as" | "value" | "hint"> & {
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
      hint={`Time in ${shown}.`}
    />
  )
}

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")]

export const ZoneField = (field: FieldProps & { readonly listId: string }) => (
  <>
    <Field {...field} attributes={{ list: field.listId, autocomplete: "off", maxlength: 64 }} />
    <datalist id={field.listId}>{zones.map((zone) => <option value={zone} />)}</datalist>
  </>
)
