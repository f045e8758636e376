/** Mails people whom a page did not reach because their way has ended: a browser's subscription, a number, a blocked bot. */
import { DateTime, Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { Links } from "../../links/Links.ts"
import { endedWayMail } from "../../notify/mail/EndedWayMail.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { ContactWays } from "../../store/paging/ContactWays.ts"
import type { PagingRow } from "../../store/paging/Pagings.ts"

/** The ways of failed pages that no page of this incident has failed by before. */
const newlyFailed = (pages: ReadonlyArray<PagingRow>, answered: ReadonlyArray<string>) => {
  const before = new Set(pages.flatMap(({ followed, state, wayId }) => state === "failed" && followed ? [wayId] : []))
  return pages.filter(({ id, wayId }) => wayId !== null && answered.includes(id) && !before.has(wayId))
}

export const makeMailEndedWays = Effect.gen(function*() {
  const ways = yield* ContactWays
  const people = yield* OnCallPeople
  const mails = yield* Mails
  const links = yield* Links

  /** `answered` are the failed pages that the caller's transaction settles, once each. Ways that have ended are not planned again. */
  return Effect.fn("MailEndedWays.mail")(
    function*(workspaceId: WorkspaceId, pages: ReadonlyArray<PagingRow>, answered: ReadonlyArray<string>, now: DateTime.Utc) {
      const failed = newlyFailed(pages, answered)
      if (failed.length === 0) return
      const owners = failed.map(({ userId }) => userId)
      const found = yield* ways.ofPeople(workspaceId, owners)
      const ended = found.filter(({ id, problem }) => problem !== null && failed.some(({ wayId }) => wayId === id))
      const members = ended.length === 0 ? [] : yield* people.some(workspaceId, owners)
      yield* Effect.forEach(ended, ({ label, problem, userId }) => {
        const to = members.find(({ id }) => id === userId)?.mailTo ?? null
        return to === null ? Effect.void : mails.send({
          workspaceId,
          priority: "standard",
          to,
          ...endedWayMail({ label, problem: problem ?? "", link: links.contact }),
          expiresAt: DateTime.add(now, { days: 7 })
        })
      }, { discard: true })
    }
  )
})
