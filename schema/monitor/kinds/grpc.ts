/** The settings of a grpc monitor: a server that answers the standard health check, except its metadata, which is stored sealed. */
import { Schema } from "effect"
import { kindSchema } from "../KindSchema.ts"
import { tlsSettings } from "../TlsSettings.ts"

const settings = {
  host: Schema.String,
  port: Schema.Int,
  tls: Schema.Boolean,
  /** The service that the server is asked about; empty for the server as a whole. */
  service: Schema.String,
  degradedAfterMs: Schema.NullOr(Schema.Int),
  sslExpiryDays: Schema.NullOr(Schema.Int)
}

export const grpc = kindSchema("grpc", { settings, later: tlsSettings, inEvents: settings, probed: true })
export type GrpcTarget = typeof grpc.target.Type
