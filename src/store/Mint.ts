/** Creates ids and secrets from Effect's clock and the system's random source. */
import { Clock, Effect } from "effect"
import { randomBytes } from "node:crypto"
import { makeId } from "../domain/Id.ts"

/** A new id, built by its schema: `mint("mon", MonitorId)`. */
export const mint = <A>(prefix: string, schema: { readonly make: (id: string) => A }): Effect.Effect<A> =>
  Effect.map(Clock.currentTimeMillis, (now) => schema.make(makeId(prefix, now, randomBytes(10))))

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
