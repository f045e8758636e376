/** Creates and reads the tokens that open the live stream where a client can send no header, such as a browser's EventSource. */
import { Clock, Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Forbidden, Unauthorized } from "../../../schema/Errors.ts"
import { instant } from "../../../schema/Fields.ts"
import { makeStreamToken, readStreamToken, streamTokenLifetimeSec } from "../../domain/access/SignedText.ts"
import { LinkKeys } from "../../store/LinkKeys.ts"
import { Authenticate } from "../access/Authenticate.ts"

const notNeeded = new Forbidden({
  message: "A session needs no stream token",
  hint: "Pages of this service open the stream with their cookie; call this with an API key to let another page open it"
})

const refused = new Unauthorized({
  message: "This stream token is unknown or has expired",
  hint: "Create another with create_stream_token, POST /api/v1/stream-tokens"
})

export class StreamTokens extends Effect.Service<StreamTokens>()("belltower/StreamTokens", {
  effect: Effect.gen(function*() {
    const signer = yield* LinkKeys
    const access = yield* Authenticate

    return {
      /** A token that opens the stream in the name of the caller's key; fails with `forbidden` for a session. */
      create: Effect.fn("StreamTokens.create")(function*({ principal, workspaceId }: Caller) {
        if (principal._tag === "User") return yield* notNeeded
        const now = yield* Clock.currentTimeMillis
        const expiresAt = (Math.floor(now / 1000) + streamTokenLifetimeSec) * 1000
        return {
          token: makeStreamToken(signer, { workspaceId, keyId: principal.keyId, expiresAt }),
          expiresAt: instant(expiresAt)
        }
      }),
      /** The caller in whose name a token opens the stream; fails with `unauthorized` once it or its key has ended. */
      caller: Effect.fn("StreamTokens.caller")(function*(token: string) {
        const grant = readStreamToken(signer, token)
        const now = yield* Clock.currentTimeMillis
        return grant === null || grant.expiresAt <= now ? yield* refused : yield* access.byKeyId(grant)
      }),
      /** The same for a stream that is open, which outlasts its token but not its key. */
      callerAgain: Effect.fn("StreamTokens.callerAgain")(function*(token: string) {
        const grant = readStreamToken(signer, token)
        return grant === null ? yield* refused : yield* access.byKeyId(grant)
      })
    }
  })
}) {}
