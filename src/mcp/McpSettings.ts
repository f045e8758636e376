/** The deployment's settings for the MCP endpoints. */
import { Context } from "effect"

export class McpSettings extends Context.Tag("belltower/McpSettings")<McpSettings, {
  /** Accepted Host names besides the host of the base URL: `name`, `*.name`, or `*` for any. */
  readonly allowedHosts: ReadonlyArray<string>
}>() {}
