/** The deployment's settings for the MCP endpoints. */
import { Context, Layer, Redacted } from "effect"
import { sessionKey } from "../domain/access/SignedText.ts"
import { McpSessionKey } from "../operations/access/McpSessions.ts"

export class McpSettings extends Context.Tag("belltower/McpSettings")<McpSettings, {
  /** Accepted Host names besides the host of the base URL: `name`, `*.name`, or `*` for any. */
  readonly allowedHosts: ReadonlyArray<string>
}>() {
  /** `secret` is the deployment's secret; the key that signs session ids is derived from it. */
  static readonly layer = (
    secret: Redacted.Redacted,
    allowedHosts: ReadonlyArray<string>
  ): Layer.Layer<McpSettings | McpSessionKey> =>
    Layer.merge(
      Layer.succeed(McpSettings, { allowedHosts }),
      Layer.sync(McpSessionKey, () => sessionKey(Redacted.value(secret)))
    )
}
