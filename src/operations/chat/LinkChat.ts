/** Links a person's chat to the contact way whose link they have opened. */
import { type DateTime, Effect, Option } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { Links } from "../../links/Links.ts"
import { wayKinds } from "../../notify/way/wayKinds.ts"
import { ContactWays } from "../../store/paging/ContactWays.ts"
import { makeWayProofs, readLink } from "../paging/WayProofs.ts"

export const makeLinkChat = Effect.gen(function*() {
  const ways = yield* ContactWays
  const proofs = yield* makeWayProofs
  const links = yield* Links

  const over = `This link is over or was used already. Ask for a new one: ${links.contact}`

  /** Returns the message for the person. A link works once, for ten minutes. */
  return Effect.fn("LinkChat.link")(function*(workspaceId: WorkspaceId, chatId: string, payload: string) {
    const given = readLink(payload)
    if (given === null) return over
    const way = yield* ways.byId(workspaceId, given.id)
    if (Option.isNone(way) || way.value.kind !== "telegram") return over
    const address = { chatId }
    const shown = wayKinds.telegram?.shownOf(address) ?? ""
    const link = (now: DateTime.Utc) => ways.link(way.value, address, shown, now)
    const verdict = yield* Effect.orElseSucceed(proofs.enter(workspaceId, given.id, given.secret, link), () => "over" as const)
    return verdict === "right" ? "Linked. Pages reach you here from now on." : over
  })
})
