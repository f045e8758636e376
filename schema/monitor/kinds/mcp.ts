/**
 * The settings of an mcp monitor, except its headers, its client's secret and the arguments of its call (`body`), which are stored sealed.
 */
import { Schema } from "effect"
import { Assertion } from "../Assertion.ts"
import { kindSchema } from "../KindSchema.ts"
import { tlsSettings } from "../TlsSettings.ts"

const shown = {
  url: Schema.String,
  expectedTools: Schema.Array(Schema.String),
  /** The tool that each check calls; null if none. */
  callTool: Schema.NullOr(Schema.String),
  degradedAfterMs: Schema.NullOr(Schema.Int),
  sslExpiryDays: Schema.NullOr(Schema.Int),
  assertions: Schema.Array(Assertion)
}

const settings = {
  ...shown,
  /** Where access tokens are fetched with client credentials (RFC 6749, section 4.4); null without sign-in. */
  tokenUrl: Schema.NullOr(Schema.String),
  clientId: Schema.NullOr(Schema.String),
  scope: Schema.NullOr(Schema.String),
  /** Pins of tools, as evidence shows them: the name, `@` and a digest of the input schema. Empty if tools may change. */
  pinnedTools: Schema.Array(Schema.String),
  callMayChange: Schema.Boolean
}

export const mcp = kindSchema("mcp", { settings, later: tlsSettings, inEvents: shown, probed: true })
export type McpTarget = typeof mcp.target.Type
