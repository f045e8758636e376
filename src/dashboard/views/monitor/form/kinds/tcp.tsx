/** The form of a monitor of a TCP connection. */
import { certificateFields, degradedFields, hostField, type KindForm, portField, tlsField } from "../KindForm.tsx"

export const tcp: KindForm = {
  name: "TCP port",
  about: "Opens a TCP connection to a port, optionally with TLS.",
  main: (monitor) => (
    <>
      <div class="columns">
        {hostField(monitor, "db.example.com")}
        {portField(monitor)}
      </div>
      {tlsField(monitor, false)}
    </>
  ),
  more: (monitor) => (
    <>
      <div class="columns">{degradedFields(monitor)}</div>
      {certificateFields(monitor)}
    </>
  ),
  assertions: ["latency", "ssl_days"]
}
