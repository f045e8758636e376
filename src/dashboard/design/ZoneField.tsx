/** A field for a time zone, which suggests the names that the server knows. */
import type { FieldProps } from "./FieldState.tsx"
import { Field } from "./Form.tsx"

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")]

export const ZoneField = (field: FieldProps & { readonly listId: string }) => (
  <>
    <Field {...field} attributes={{ list: field.listId, autocomplete: "off", maxlength: 64 }} />
    <datalist id={field.listId}>{zones.map((zone) => <option value={zone} />)}</datalist>
  </>
)
