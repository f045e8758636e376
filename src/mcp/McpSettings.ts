/** What the deployment says of its MCP endpoint. */
import { Context, Layer, Redacted } from "effect"
import { sessionKey } from "../domain/access/McpSession.ts"

export class McpSettings extends Context.Tag("belltower/McpSettings")<McpSettings, {
  /** Signs the ids of sessions. */
  readonly sessionKey: Uint8Array
  /** Host names, beside that of the base URL, that clients may reach the endpoint by: `name`, `*.name` or `*` for any. */
  readonly allowedHosts: ReadonlyArray<string>
}>() {
  static readonly layer = (secret: Redacted.Redacted, allowedHosts: ReadonlyArray<string>): Layer.Layer<McpSettings> =>
    Layer.sync(McpSettings, () => ({ sessionKey: sessionKey(Redacted.value(secret)), allowedHosts }))
}
