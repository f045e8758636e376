/** The form of a monitor of a WebSocket. */
import { bodyField, certificateFields, degradedFields, headersField, type KindForm, socketField } from "../KindForm.tsx"
import { TextSetting } from "../SettingFields.tsx"

export const websocket: KindForm = {
  name: "WebSocket",
  about: "Opens a WebSocket, optionally sends a message, and waits for an answer.",
  main: (monitor) => (
    <>
      {socketField(monitor)}
      <TextSetting
        name="keyword"
        label="A message must contain"
        value={monitor?.keyword}
        hint="Leave empty if connecting is enough."
      />
    </>
  ),
  more: (monitor) => (
    <>
      {bodyField(monitor, "Message to send")}
      <div class="columns">{degradedFields(monitor)}</div>
      {headersField(monitor)}
      {certificateFields(monitor)}
    </>
  )
}
