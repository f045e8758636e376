/** Mails the people whose time on call a change of overrides alters. */
import { Array, DateTime, Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { ScheduleId } from "../../../schema/Ids.ts"
import type { Span } from "../../domain/oncall/LayerTimes.ts"
import { shiftNews } from "../../domain/oncall/ShiftNews.ts"
import { shiftsBetween } from "../../domain/oncall/Shifts.ts"
import { Links } from "../../links/Links.ts"
import { plainLine } from "../../notify/mail/MailLayout.ts"
import { shiftMail } from "../../notify/mail/ShiftMail.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { type ScheduleRow, Schedules } from "../../store/oncall/Schedules.ts"

export const makeMailShifts = Effect.gen(function*() {
  const schedules = yield* Schedules
  const people = yield* OnCallPeople
  const mails = yield* Mails
  const links = yield* Links

  const mail = Effect.fn("MailShifts.mail")(
    function*({ principal, workspaceId }: Caller, row: ScheduleRow, news: ReturnType<typeof shiftNews>) {
      const caller = principal._tag === "User" ? principal.userId : null
      const known = yield* people.some(workspaceId, [...news.map(({ userId }) => userId), ...(caller === null ? [] : [caller])])
      const by = known.find(({ id }) => id === caller)
      yield* Effect.forEach(news, ({ gained, lost, userId }) => {
        const to = userId === caller ? null : known.find(({ id }) => id === userId)?.mailTo ?? null
        const [last] = Array.sort([...gained, ...lost].map(({ end }) => end), DateTime.Order).slice(-1)
        if (to === null || last === undefined) return Effect.void
        const content = shiftMail({
          gained,
          lost,
          schedule: row.name,
          timezone: row.timezone,
          by: by === undefined ? null : by.name === null ? by.email : plainLine(by.name),
          link: links.app(`on-call/${row.id}`)
        })
        return mails.send({ workspaceId, priority: "standard", to, ...content, expiresAt: last })
      }, { discard: true })
    }
  )

  /**
   * Makes a change of the time of a schedule, which the caller has locked, and mails the people whom it concerns in the same transaction.
   */
  return <A, E, R>(caller: Caller, row: ScheduleRow, { end, start }: Span, change: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const from = DateTime.max(start, yield* DateTime.now)
      const shifts = Effect.map(
        schedules.overrides(caller.workspaceId, [row.id satisfies ScheduleId], from),
        (overrides) => shiftsBetween(row, overrides, from, end)
      )
      const before = yield* shifts
      const made = yield* change
      yield* mail(caller, row, shiftNews(before, yield* shifts, { start: from, end }))
      return made
    })
})
