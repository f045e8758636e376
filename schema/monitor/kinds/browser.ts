/** The settings of a browser monitor: JavaScript that drives a page of a real browser in several steps. */
import { Schema, Struct } from "effect"
import { whole } from "../../Fields.ts"
import { kindSchema } from "../KindSchema.ts"
import { tlsSettings } from "../TlsSettings.ts"

/** The size of the browser's window, CSS pixels. */
export const Viewport = Schema.Struct({ width: whole(320, 3840), height: whole(240, 2160) })

const shown = {
  viewport: Viewport,
  degradedAfterMs: Schema.NullOr(Schema.Int)
}

export const browser = kindSchema("browser", {
  settings: { code: Schema.String, ...shown },
  later: Struct.pick(tlsSettings, "tlsVerify"),
  // Code can hold credentials.
  inEvents: shown,
  probed: true
})
