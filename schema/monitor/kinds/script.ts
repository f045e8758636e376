/** The settings of a script monitor: JavaScript that checks something in several steps. */
import { Schema } from "effect"
import { kindSchema } from "../KindSchema.ts"
import { tlsSettings } from "../TlsSettings.ts"

const degradedAfterMs = Schema.NullOr(Schema.Int)

export const script = kindSchema("script", {
  settings: { code: Schema.String, degradedAfterMs },
  later: tlsSettings,
  // Code can hold credentials.
  inEvents: { degradedAfterMs },
  probed: true
})
