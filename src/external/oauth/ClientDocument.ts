/** Reads the document by which an app describes itself, at the address that is its client_id, through the egress guard. */
import { Data, Effect, Either } from "effect"
import { parseBoundedJson } from "../../domain/tools/json/BoundedJson.ts"
import { decodedBody } from "../../egress/BodyDecoder.ts"
import type { EgressGuard } from "../../egress/EgressGuard.ts"
import { requestBounded } from "../BoundedRequest.ts"

/** The document could not be read. `message` is for the person; it repeats nothing that the server said. */
class DocumentUnread extends Data.TaggedError("DocumentUnread")<{ readonly message: string }> {}

/** Bytes of a document: several times what the draft asks authorization servers to take. */
const largest = 16 * 1024

const timeoutMs = 5_000

const headers = { "user-agent": "Belltower-Connect/1.0", accept: "application/json" }

const unread = (why: string) => new DocumentUnread({ message: `The app's document cannot be read: ${why}` })

/** The JSON at the address. A redirect is not followed: the address is the app's identity. */
export const readClientDocument = Effect.fn("ClientDocument.read")(function*(guard: EgressGuard, url: URL) {
  const seen = yield* requestBounded(guard, { url, headers, timeoutMs, limit: largest })
  const { failure, response } = seen
  if (failure !== null || response === null) return yield* unread("its server cannot be reached from here")
  if (response.statusCode !== 200) return yield* unread(`its server answered with status ${response.statusCode}`)
  if (!seen.bodyComplete) return yield* unread(`it is longer than ${largest / 1024} KiB`)
  const { text } = yield* decodedBody(seen, largest)
  return yield* Either.match(parseBoundedJson(text), { onLeft: () => unread("it is not JSON"), onRight: Effect.succeed })
})
