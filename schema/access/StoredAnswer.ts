/** The stored response to a request with an idempotency key, replayed byte for byte. */
import { Schema } from "effect"

export const StoredAnswer = Schema.Struct({
  status: Schema.Int,
  contentType: Schema.NullOr(Schema.String),
  body: Schema.Uint8ArrayFromBase64
})
export type StoredAnswer = typeof StoredAnswer.Type
