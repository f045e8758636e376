/** The body of an exchange as text. */
import { Effect } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import { decodeBody } from "./BodyDecoder.ts"
import type { Exchange } from "./HttpExchange.ts"

/** At most `limit` bytes of the body, decoded. */
export const bodyText = (
  { bodyComplete, chunks }: Exchange,
  headers: IncomingHttpHeaders,
  limit: number
): Effect.Effect<string> =>
  Effect.async((resume) => {
    const stop = decodeBody(chunks, bodyComplete, headers, limit, ({ text }) => resume(Effect.succeed(text)))
    return Effect.sync(stop)
  })
