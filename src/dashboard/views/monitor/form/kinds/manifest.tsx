/** The form of a monitor of a status manifest. */
import { certificateFields, degradedFields, headersField, type KindForm, urlField } from "../KindForm.tsx"

export const manifest: KindForm = {
  name: "Status manifest",
  about: "Reads a document with the status of several services, which page components can follow.",
  main: (monitor) => urlField(monitor, "https://example.com/status.json"),
  more: (monitor) => (
    <>
      <div class="columns">{degradedFields(monitor)}</div>
      {headersField(monitor)}
      {certificateFields(monitor)}
    </>
  )
}
