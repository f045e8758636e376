/** The form of a monitor of a gRPC health check. */
import { Field } from "../../../../design/Form.tsx"
import { limitsOf } from "../FieldLimits.ts"
import { certificateFields, degradedFields, headersField, hostField, type KindForm, portField, tlsField } from "../KindForm.tsx"

export const grpc: KindForm = {
  name: "gRPC",
  about: "Calls the health check of a gRPC server or of one of its services.",
  main: (monitor) => (
    <>
      <div class="columns">
        {hostField(monitor, "api.example.com")}
        {portField(monitor)}
        <Field
          name="service"
          as="raw"
          label="Service"
          value={monitor?.service}
          attributes={limitsOf("service")}
          hint="Leave empty to check the whole server."
        />
      </div>
      {tlsField(monitor, true)}
    </>
  ),
  more: (monitor) => (
    <>
      <div class="columns">{degradedFields(monitor)}</div>
      {headersField(monitor, "Metadata")}
      {certificateFields(monitor)}
    </>
  )
}
