/** Limits of what texts and calls cost: how many go to a person, a workspace and the installation, and how many codes to a number. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Either, Option } from "effect"
import type { PagingId, WayId, WorkspaceId } from "../../../../schema/Ids.ts"
import { Links } from "../../../links/Links.ts"
import { type Counted, type RateLimit, RateLimits } from "../../../store/access/RateLimits.ts"
import { KeyedHashes } from "../../../store/KeyedHashes.ts"
import { Mails } from "../../../store/mail/Mails.ts"
import { PhonePages } from "../../../store/paging/PhonePages.ts"
import { DatabaseClock } from "../../../store/postgres/DatabaseClock.ts"
import { inTransaction } from "../../../store/postgres/Transaction.ts"
import { phoneLimitMail } from "../../mail/PhoneLimitMail.ts"

export interface PhoneLimits {
  /** Texts and calls to one person of a workspace in an hour. */
  readonly personAnHour: number
  /** Texts and calls of one workspace in a day. */
  readonly workspaceADay: number
  /** Texts and calls of all workspaces in a day. */
  readonly allADay: number
}

export interface PhoneSpending {
  readonly workspaceId: WorkspaceId
  readonly wayId: WayId
  /** E.164. */
  readonly to: string
  readonly purpose: "page" | "code" | "test"
  /** The page, whose attempts count once; null for codes and tests. */
  readonly pagingId: PagingId | null
}

/** Anybody can enter a number that is not theirs: what a phone gets from all workspaces, and what one workspace may try. */
const codesToNumber: RateLimit = { name: "phone-codes-number", limit: 5, window: Duration.hours(1) }
const codesOfWorkspace: RateLimit = { name: "phone-codes-workspace", limit: 20, window: Duration.days(1) }

const once: RateLimit = { name: "phone-page", limit: 1, window: Duration.days(1) }
const mailedLimit: RateLimit = { name: "phone-told", limit: 1, window: Duration.days(1) }

interface Bound extends Counted {
  readonly reason: string
}

const makeMailLimit = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const limits = yield* RateLimits
  const links = yield* Links
  const mails = yield* Mails
  const pages = yield* PhonePages

  /** Mails the owners and admins of a workspace, once a day. */
  return Effect.fn("PhoneBudget.mailLimit")(function*(workspaceId: WorkspaceId, reason: string) {
    if (Option.isNone(yield* Effect.option(limits.take(mailedLimit, workspaceId)))) return
    yield* Effect.logWarning(`Pages of workspace ${workspaceId} do not go out by phone: ${reason}`)
    const mail = phoneLimitMail({ reason, link: links.overview(workspaceId) })
    const expiresAt = DateTime.add(yield* DateTime.now, { days: 1 })
    yield* Effect.forEach(
      yield* pages.admins(workspaceId),
      ({ email }) => mails.send({ workspaceId, priority: "standard", to: email, ...mail, expiresAt }),
      { discard: true }
    )
    // One transaction: of a process that dies here no mail goes out, and the next page tries again.
  }, inTransaction(sql))
})

export const makePhoneBudget = Effect.fnUntraced(function*({ allADay, personAnHour, workspaceADay }: PhoneLimits) {
  const limits = yield* RateLimits
  const hash = yield* KeyedHashes
  const pages = yield* PhonePages
  const clock = yield* DatabaseClock
  const mailLimit = yield* makeMailLimit

  const ofNumber = ({ purpose, to, workspaceId }: PhoneSpending): ReadonlyArray<Bound> =>
    purpose !== "code" ? [] : [
      {
        rate: codesToNumber,
        subject: hash(`phone ${to}`).toString("base64url"),
        reason: `At most ${codesToNumber.limit} codes an hour go to one number`
      },
      {
        rate: codesOfWorkspace,
        subject: workspaceId,
        reason: `At most ${codesOfWorkspace.limit} codes a day go to the numbers of a workspace`
      }
    ]

  const boundsOf = (spending: PhoneSpending, userId: string): ReadonlyArray<Bound> => [
    ...ofNumber(spending),
    {
      rate: { name: "phone-person", limit: personAnHour, window: Duration.hours(1) },
      subject: `${spending.workspaceId} ${userId}`,
      reason: `The limit of ${personAnHour} texts and calls an hour to one person is reached`
    },
    {
      rate: { name: "phone-workspace", limit: workspaceADay, window: Duration.days(1) },
      subject: spending.workspaceId,
      reason: `The limit of ${workspaceADay} texts and calls a day of this workspace is reached`
    },
    {
      rate: { name: "phone-all", limit: allADay, window: Duration.days(1) },
      subject: "all",
      reason: `The limit of ${allADay} texts and calls a day of this server is reached`
    }
  ]

  /**
   * Counts one text or call, before it goes out. Returns null if it may go out, and otherwise the reason, which the workspace gets if it
   * was a page. A refused attempt counts nowhere, so a second attempt of the same page, as after a crash, is refused as well.
   */
  return Effect.fn("PhoneBudget.spend")(function*(spending: PhoneSpending) {
    const { pagingId, purpose, wayId, workspaceId } = spending
    const owner = yield* pages.ownerOf(workspaceId, wayId)
    if (Option.isNone(owner)) return "The way was deleted"
    const page = pagingId === null ? null : { rate: once, subject: pagingId }
    const taken = yield* Effect.either(limits.takeEach(boundsOf(spending, owner.value.userId), page, yield* clock.now))
    if (Either.isRight(taken)) return null
    const { reason } = taken.left
    if (purpose === "page") yield* mailLimit(workspaceId, reason)
    return reason
  })
})
