/** The answer to a request that carried an idempotency key, byte for byte as it was sent. */
import { Schema } from "effect"

export const StoredAnswer = Schema.Struct({
  status: Schema.Int,
  contentType: Schema.NullOr(Schema.String),
  body: Schema.Uint8ArrayFromBase64
})
export type StoredAnswer = typeof StoredAnswer.Type
