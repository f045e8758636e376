/** The settings of an http monitor, except its headers and body, which are stored sealed. */
import { Schema } from "effect"
import { Assertion } from "../Assertion.ts"
import { kindSchema } from "../KindSchema.ts"
import { tlsSettings } from "../TlsSettings.ts"

export const HttpMethod = Schema.Literal("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
export type HttpMethod = typeof HttpMethod.Type

const settings = {
  url: Schema.String,
  method: HttpMethod,
  followRedirects: Schema.Boolean,
  expectedStatus: Schema.String,
  keyword: Schema.NullOr(Schema.String),
  keywordAbsent: Schema.NullOr(Schema.String),
  degradedAfterMs: Schema.NullOr(Schema.Int),
  sslExpiryDays: Schema.NullOr(Schema.Int),
  assertions: Schema.Array(Assertion)
}

export const http = kindSchema("http", { settings, later: tlsSettings, inEvents: settings, probed: true })
export type HttpTarget = typeof http.target.Type
