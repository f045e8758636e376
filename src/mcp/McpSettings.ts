/** What the deployment configures of its MCP endpoint. */
import { Context, Layer, Redacted } from "effect"
import { sessionKey } from "../domain/access/McpSession.ts"
import { McpSessionKey } from "../operations/access/McpSessions.ts"

export class McpSettings extends Context.Tag("belltower/McpSettings")<McpSettings, {
  /** Host names, beside that of the base URL, that clients may reach the endpoint by: `name`, `*.name` or `*` for any. */
  readonly allowedHosts: ReadonlyArray<string>
}>() {
  /** `secret` is the deployment's; the key that signs session ids derives from it. */
  static readonly layer = (
    secret: Redacted.Redacted,
    allowedHosts: ReadonlyArray<string>
  ): Layer.Layer<McpSettings | McpSessionKey> =>
    Layer.merge(
      Layer.succeed(McpSettings, { allowedHosts }),
      Layer.sync(McpSessionKey, () => sessionKey(Redacted.value(secret)))
    )
}
