/** The secrets by which people prove that a contact way is theirs: codes that are sent there, and links that lead there. */
import { DateTime, Effect } from "effect"
import { randomBytes, randomInt } from "node:crypto"
import { RateLimited } from "../../../schema/Errors.ts"
import { WayId, type WorkspaceId } from "../../../schema/Ids.ts"
import { afterSending, judgeCode } from "../../domain/paging/WayCodes.ts"
import { idBytes, idOf } from "../../domain/tools/Id.ts"
import { KeyedHashes } from "../../store/KeyedHashes.ts"
import { ContactWays } from "../../store/paging/ContactWays.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { orNoSuch } from "../NoSuch.ts"

const tooManyCodes = new RateLimited({
  message: "Five codes were sent to this way within the hour",
  hint: "Use the last one, or try again in an hour"
})

/** 16 bytes of the way's id, and 16 that nobody guesses. */
const linkForm = /^([\w-]{22})([\w-]{22})$/

/** The way that the payload of a link names, and the payload's secret; null for any other text. */
export const readLink = (payload: string): { readonly id: WayId; readonly secret: string } | null => {
  const [, id, secret] = linkForm.exec(payload) ?? []
  return id === undefined || secret === undefined
    ? null
    : { id: WayId.make(idOf("way", Buffer.from(id, "base64url"))), secret: `link ${secret}` }
}

export const makeWayProofs = Effect.gen(function*() {
  const ways = yield* ContactWays
  const hash = yield* KeyedHashes
  const transaction = yield* makeTransaction

  const hashOf = (id: WayId, secret: string): Buffer => hash(`way ${secret.startsWith("link ") ? "" : "code "}${id} ${secret}`)

  /** The only secret of the way from now on. Fails with `not_found`, and with `rate_limited` after five in an hour. */
  const renew = Effect.fn("WayProofs.renew")(function*(workspaceId: WorkspaceId, id: WayId, secret: string) {
    const now = yield* DateTime.now
    yield* transaction(Effect.gen(function*() {
      const state = yield* orNoSuch("contact way", id, ways.codes.lock(workspaceId, id))
      const next = afterSending(state, hashOf(id, secret), now)
      if (next === null) return yield* tooManyCodes
      yield* ways.codes.save(workspaceId, id, next)
    }))
  })

  return {
    /** A new code of six digits. Fails like `newLink`. */
    newCode: Effect.fn("WayProofs.newCode")(function*(workspaceId: WorkspaceId, id: WayId) {
      const code = String(randomInt(1_000_000)).padStart(6, "0")
      yield* renew(workspaceId, id, code)
      return code
    }),
    /** The payload of a new link: 44 characters of base64url. Fails with `not_found` and `rate_limited`. */
    newLink: Effect.fn("WayProofs.newLink")(function*(workspaceId: WorkspaceId, id: WayId) {
      const secret = randomBytes(16).toString("base64url")
      yield* renew(workspaceId, id, `link ${secret}`)
      return `${Buffer.from(idBytes(id) ?? []).toString("base64url")}${secret}`
    }),
    /** Judges a secret; `whenRight` runs in the same transaction. A wrong one counts. Fails with `not_found`. */
    enter: Effect.fn("WayProofs.enter")(function*<E, R>(
      workspaceId: WorkspaceId,
      id: WayId,
      secret: string,
      whenRight: (now: DateTime.Utc) => Effect.Effect<void, E, R>
    ) {
      const now = yield* DateTime.now
      return yield* transaction(Effect.gen(function*() {
        const state = yield* orNoSuch("contact way", id, ways.codes.lock(workspaceId, id))
        const judged = judgeCode(state, hashOf(id, secret), now)
        yield* judged === "right" ? whenRight(now) : ways.codes.save(workspaceId, id, { ...state, tries: state.tries + 1 })
        return judged
      }))
    })
  }
})
