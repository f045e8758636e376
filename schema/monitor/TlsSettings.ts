/** The settings of the TLS connections that a check makes, for the kinds that make some. The client's key is stored sealed. */
import { Schema } from "effect"

export const tlsSettings = {
  tlsVerify: Schema.Boolean,
  tlsCa: Schema.NullOr(Schema.String),
  clientCertificate: Schema.NullOr(Schema.String)
}

/** The same as targets have them: a missing one has its usual value. */
export interface TlsTarget {
  readonly tlsVerify?: boolean
  readonly tlsCa?: string | null
  readonly clientCertificate?: string | null
}
