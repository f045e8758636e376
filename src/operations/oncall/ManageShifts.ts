/** Changes who takes which shift: by overrides, by swaps of two shifts, and by those of a calendar. */
import { DateTime, Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Conflict, NotFound } from "../../../schema/Errors.ts"
import type { OverrideId, ScheduleId, WorkspaceId } from "../../../schema/Ids.ts"
import type { CalendarInput, OverrideInput, ShiftSwap, TakenCalendar } from "../../../schema/oncall/Schedule.ts"
import { hasEnded, windowRefusals } from "../../domain/oncall/Overrides.ts"
import { namedIn, readCalendar } from "../../domain/oncall/ReadCalendar.ts"
import { shiftsBetween } from "../../domain/oncall/Shifts.ts"
import { aroundBoth, hasShift, swapOverrides, swapRefusals } from "../../domain/oncall/SwapShifts.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { Schedules } from "../../store/oncall/Schedules.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { orNoSuch } from "../NoSuch.ts"
import { makeMailShifts } from "./MailShifts.ts"
import { ManageSchedules } from "./ManageSchedules.ts"

/** Days ahead for which the events of a calendar are taken in. */
const calendarDays = 90

/** Skipped events that an answer names. */
const mostSkipped = 100

const changed = new Conflict({
  message: "The shifts have changed since they were read",
  hint: "Read them again with GET /api/v1/oncall/schedules/{id}"
})

const noOverride = (id: OverrideId) =>
  new NotFound({
    message: `No on-call override ${id} in this schedule`,
    hint: "List overrides with GET /api/v1/oncall/schedules/{id}"
  })

const noCalendar = validationFailure([{
  path: "calendar",
  message: "This is no iCalendar text: it does not begin with BEGIN:VCALENDAR"
}])

const sayingOf = ({ end, start, userId }: Pick<OverrideInput, "end" | "start" | "userId">): string =>
  `${userId} ${start.epochMillis} ${end.epochMillis}`

export class ManageShifts extends Effect.Service<ManageShifts>()("belltower/ManageShifts", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const schedules = yield* Schedules
    const people = yield* OnCallPeople
    const manage = yield* ManageSchedules
    const mailing = yield* makeMailShifts

    const locked = (workspaceId: WorkspaceId, id: ScheduleId) => orNoSuch("on-call schedule", id, schedules.lock(workspaceId, id))

    /**
     * Puts somebody on call. Fails with `not_found`, and with `validation_failed` for someone who is no member or a time that has passed.
     */
    const standIn = Effect.fn("ManageShifts.standIn")(function*(caller: Caller, id: ScheduleId, input: OverrideInput) {
      const now = yield* DateTime.now
      const row = yield* locked(caller.workspaceId, id)
      const add = manage.addOverride(caller.workspaceId, id, input)
      // The shifts of a time that is refused are not looked at: it may be a thousand years.
      return windowRefusals(input, now).length > 0 ? yield* add : yield* mailing(caller, row, input, add)
    }, transaction)

    const removeOverride = Effect.fn("ManageShifts.removeOverride")(
      function*(caller: Caller, id: ScheduleId, overrideId: OverrideId) {
        const now = yield* DateTime.now
        const row = yield* locked(caller.workspaceId, id)
        const found = (yield* schedules.overrides(caller.workspaceId, [id], now)).find((one) => one.id === overrideId)
        if (found === undefined) return yield* noOverride(overrideId)
        yield* mailing(caller, row, found, schedules.removeOverrides(caller.workspaceId, id, [overrideId]))
      },
      transaction
    )

    /** Fails with `not_found`, with `validation_failed` for shifts that cannot be swapped, and with `conflict` for ones that are not so. */
    const swap = Effect.fn("ManageShifts.swap")(function*(caller: Caller, id: ScheduleId, given: ShiftSwap) {
      const { workspaceId } = caller
      const now = yield* DateTime.now
      const row = yield* locked(workspaceId, id)
      const refusals = swapRefusals(given, now)
      if (refusals.length > 0) return yield* validationFailure(refusals)
      const { end, start } = aroundBoth(given)
      if (DateTime.greaterThan(end, DateTime.add(now, { days: 366 }))) {
        return yield* validationFailure([{ path: null, message: "Shifts can be swapped up to 366 days ahead" }])
      }
      const from = DateTime.max(start, DateTime.subtract(now, { days: 366 }))
      const overrides = yield* schedules.overrides(workspaceId, [id], from)
      const shifts = shiftsBetween(row, overrides, from, end)
      if (!hasShift(shifts, given.one) || !hasShift(shifts, given.other)) return yield* changed
      const added = swapOverrides(given, now)
      return yield* mailing(caller, row, { start, end }, manage.editOverrides(workspaceId, id, { removed: [], added }))
    }, transaction)

    /** Fails with `not_found`, and with `validation_failed` for another text and above the cap of overrides. */
    const takeCalendar = Effect.fn("ManageShifts.takeCalendar")(
      function*(workspaceId: WorkspaceId, id: ScheduleId, { calendar }: CalendarInput) {
        const now = yield* DateTime.now
        const row = yield* locked(workspaceId, id)
        const range = { from: now, to: DateTime.add(now, { days: calendarDays }) }
        const read = readCalendar(calendar, row.timezone, range)
        if (read === null) return yield* noCalendar
        const members = yield* people.members(workspaceId)
        const known = new Set((yield* schedules.overrides(workspaceId, [id], now)).map(sayingOf))
        const skipped: Array<TakenCalendar["skipped"][number]> = [...read.unread]
        const added: Array<OverrideInput> = []
        for (const event of read.events) {
          // A shift that is over is no news.
          if (hasEnded(event, now) || DateTime.greaterThanOrEqualTo(event.start, range.to)) continue
          const member = namedIn(event, members)
          const [refusal] = windowRefusals(event, now)
          const reason = member === null ? "It names no member, or several" : refusal?.message ?? null
          if (member === null || reason !== null) {
            skipped.push({ summary: event.summary, reason: reason ?? "" })
            continue
          }
          const note = event.summary === "" ? {} : { note: event.summary }
          const one = { userId: member.id, start: event.start, end: event.end, ...note }
          if (known.has(sayingOf(one))) continue
          known.add(sayingOf(one))
          added.push(one)
        }
        const overrides = yield* manage.editOverrides(workspaceId, id, { removed: [], added })
        return { added: overrides, skipped: skipped.slice(0, mostSkipped) }
      },
      transaction
    )

    return { standIn, removeOverride, swap, takeCalendar }
  }),
  dependencies: [ManageSchedules.Default]
}) {}
