/** Creates ids and secrets from Effect's clock and the system's random source. */
import { Clock, DateTime, Effect } from "effect"
import { randomBytes, randomFillSync } from "node:crypto"
import { makeId } from "../domain/tools/Id.ts"

const idBytes = 10

/** Drawn for 400 ids together: a call of the system's source takes 8 µs. */
const drawn = new Uint8Array(400 * idBytes)
let used = drawn.length

/** Fresh random bytes for an id, valid until the next call. */
export const randomForId = (): Uint8Array => {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  used += idBytes
  return drawn.subarray(used - idBytes, used)
}

/** A new id, built by its schema: `mint("mon", MonitorId)`. */
export const mint = <A>(prefix: string, schema: { readonly make: (id: string) => A }): Effect.Effect<A> =>
  Effect.map(Clock.currentTimeMillis, (now) => schema.make(makeId(prefix, now, randomForId())))

/** A new id that sorts among those made at `at`, for what happened before it was recorded here. */
export const mintAt = <A>(prefix: string, schema: { readonly make: (id: string) => A }, at: DateTime.Utc): Effect.Effect<A> =>
  Effect.sync(() => schema.make(makeId(prefix, DateTime.toEpochMillis(at), randomForId())))

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** `length` random base62 characters, each equally likely. */
export const randomToken = (length: number): Effect.Effect<string> =>
  Effect.sync(() => {
    let token = ""
    while (token.length < length) {
      // 248 is the largest multiple of 62 below 256. Larger bytes would favour the first characters.
      for (const byte of randomBytes(length)) if (byte < 248 && token.length < length) token += base62[byte % 62]
    }
    return token
  })
