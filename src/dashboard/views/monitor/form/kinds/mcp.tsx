/** The form of a monitor of an MCP server. */
import { Area, Check, Field } from "../../../../design/Form.tsx"
import { limitsOf } from "../FieldLimits.ts"
import { bodyField, certificateFields, degradedFields, headersField, type KindForm, urlField } from "../KindForm.tsx"
import { type Edited, TextSetting } from "../SettingFields.tsx"

/** Folded away, because many servers take a header, or nobody's name at all. */
const signInFields = (monitor: Edited) => (
  <details class="more" open={(monitor?.tokenUrl ?? null) !== null}>
    <summary>Sign-in</summary>
    <div class="form wide">
      <TextSetting
        name="tokenUrl"
        type="url"
        label="Token URL"
        value={monitor?.tokenUrl}
        placeholder="https://auth.example.com/token"
        hint="For OAuth client credentials: each check gets a token here. Leave empty if the server needs no sign-in."
      />
      <div class="columns">
        <TextSetting name="clientId" label="Client id" value={monitor?.clientId} />
        <Field
          name="clientSecret"
          as="text?"
          label="Client secret"
          value={monitor?.clientSecret}
          attributes={limitsOf("clientSecret")}
          hint="Stored encrypted; leave a masked value as it is to keep it."
        />
        <TextSetting name="scope" label="Scope" value={monitor?.scope} />
      </div>
    </div>
  </details>
)

export const mcp: KindForm = {
  name: "MCP server",
  about: "Connects to an MCP server, lists its tools and, if you choose one, calls it.",
  main: (monitor) => (
    <>
      {urlField(monitor, "https://mcp.example.com/mcp")}
      <Area
        name="expectedTools"
        as="lines"
        label="Tools that must be listed"
        rows={3}
        value={monitor?.expectedTools.join("\n")}
        hint="One per line. Leave empty to accept any tools."
      />
      <TextSetting
        name="callTool"
        label="Tool to call"
        value={monitor?.callTool}
        hint="Assertions apply to its result. Leave empty to apply them to the list of tools."
      />
    </>
  ),
  more: (monitor) => (
    <>
      {bodyField(monitor, "Arguments of the call, as a JSON object")}
      <Check
        name="callMayChange"
        label="Call the tool even if the server does not mark it as read-only"
        checked={monitor?.callMayChange ?? false}
        hint="Each check calls it. Choose a tool that changes nothing."
      />
      <Area
        name="pinnedTools"
        as="lines"
        code
        label="Pinned tools"
        rows={3}
        value={monitor?.pinnedTools.join("\n")}
        hint="The monitor is degraded when tool names or input schemas differ. Copy this from the evidence of a check. Leave empty to allow changes."
      />
      <div class="columns">{degradedFields(monitor)}</div>
      {signInFields(monitor)}
      {headersField(monitor)}
      {certificateFields(monitor)}
    </>
  ),
  assertions: ["json", "body", "latency", "ssl_days"]
}
