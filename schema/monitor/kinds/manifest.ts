/** The settings of a manifest monitor: a document with the statuses of many things, except its headers, which are stored sealed. */
import { Schema } from "effect"
import { kindSchema } from "../KindSchema.ts"
import { tlsSettings } from "../TlsSettings.ts"

const settings = {
  url: Schema.String,
  degradedAfterMs: Schema.NullOr(Schema.Int),
  sslExpiryDays: Schema.NullOr(Schema.Int)
}

export const manifest = kindSchema("manifest", { settings, later: tlsSettings, inEvents: settings, probed: true })
export type ManifestTarget = typeof manifest.target.Type
