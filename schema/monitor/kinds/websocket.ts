/** The settings of a websocket monitor, except its headers and the message that it sends (`body`), which are stored sealed. */
import { Schema } from "effect"
import { kindSchema } from "../KindSchema.ts"
import { tlsSettings } from "../TlsSettings.ts"

const settings = {
  url: Schema.String,
  /** A text that a message must contain; null if connecting is enough. */
  keyword: Schema.NullOr(Schema.String),
  degradedAfterMs: Schema.NullOr(Schema.Int),
  sslExpiryDays: Schema.NullOr(Schema.Int)
}

export const websocket = kindSchema("websocket", { settings, later: tlsSettings, inEvents: settings, probed: true })
export type WebsocketTarget = typeof websocket.target.Type
