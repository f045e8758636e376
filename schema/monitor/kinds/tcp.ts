/** The settings of a tcp monitor: a port that accepts connections, optionally encrypted. */
import { Schema } from "effect"
import { Assertion } from "../Assertion.ts"
import { kindSchema } from "../KindSchema.ts"
import { tlsSettings } from "../TlsSettings.ts"

const settings = {
  host: Schema.String,
  port: Schema.Int,
  tls: Schema.Boolean,
  degradedAfterMs: Schema.NullOr(Schema.Int),
  sslExpiryDays: Schema.NullOr(Schema.Int),
  assertions: Schema.Array(Assertion)
}

export const tcp = kindSchema("tcp", { settings, later: tlsSettings, inEvents: settings, probed: true })
export type TcpTarget = typeof tcp.target.Type
