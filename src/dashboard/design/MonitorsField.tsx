/** A field for the ids of monitors. A script lets people find them by name, and shows the names of those that are chosen. */
import type { FieldProps } from "./FieldState.tsx"
import { Field } from "./Form.tsx"
import { Island } from "./Parts.tsx"

export const MonitorsField = ({ hint, ...field }: FieldProps) => (
  <Island name="pick" keep props={null}>
    <Field
      {...field}
      hint={
        <>
          <span data-ids>{field.as === "list" ? "Ids, separated by commas." : "The monitor's id."}{" "}</span>
          {hint}
        </>
      }
      attributes={{ "data-pick": "monitors", autocomplete: "off", spellcheck: false, placeholder: "mon_…" }}
    />
  </Island>
)
