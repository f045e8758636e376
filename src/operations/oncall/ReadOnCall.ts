/** Reads on-call schedules: their shifts, who is on call, the members, and the calendar feeds. */
import { DateTime, Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { NotFound } from "../../../schema/Errors.ts"
import { ScheduleId, type UserId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { CreatedOverride, OnCallMember, OnCallPerson, Override, Schedule } from "../../../schema/oncall/Schedule.ts"
import { principalId } from "../../domain/access/PrincipalId.ts"
import { calendarText } from "../../domain/oncall/Calendar.ts"
import { type ScheduleHistory, shiftsInHistory } from "../../domain/oncall/History.ts"
import { gapDays, gapWarnings, onCallAt, type People, shownShift } from "../../domain/oncall/OnCallRecords.ts"
import { isReachable, pagingWarnings } from "../../domain/oncall/PagingWarnings.ts"
import { namedInRotation } from "../../domain/oncall/Rotation.ts"
import { shiftsAt, shiftsBetween, uncovered } from "../../domain/oncall/Shifts.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { Links } from "../../links/Links.ts"
import { makePersonWays, type Pageable } from "../../services/paging/PersonWays.ts"
import { LinkKeys } from "../../store/LinkKeys.ts"
import { MailMode } from "../../store/mail/MailMode.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { type ScheduleRow, Schedules } from "../../store/oncall/Schedules.ts"
import { foundOr, noSuch, orNoSuch } from "../NoSuch.ts"

const noFeed = new NotFound({ message: "No such calendar", hint: "Copy feedUrl of the on-call schedule again" })

/** A schedule before it is known who reads it: each caller has an address of the feed. */
export interface ReadSchedule extends Omit<Schedule, "feedUrl"> {
  readonly feedVersion: number
}

const defaultDays = 14

/** The days of rotation that a calendar feed shows, and the days for which it keeps past shifts. */
const feedDays = 42
const keptDays = 14

const personOf = (mailed: boolean) => ({ email, id, name, ways }: Pageable): readonly [UserId, OnCallPerson] => [
  id,
  { id, name, email, reachable: isReachable({ ways }, mailed) }
]

/** People named by several schedules are loaded once. */
const namedIn = (rows: ReadonlyArray<ScheduleRow>, overrides: ReadonlyArray<Override>): ReadonlyArray<UserId> => [
  ...rows.flatMap(namedInRotation),
  ...overrides.map(({ userId }) => userId)
]

export class ReadOnCall extends Effect.Service<ReadOnCall>()("belltower/ReadOnCall", {
  effect: Effect.gen(function*() {
    const schedules = yield* Schedules
    const people = yield* OnCallPeople
    const links = yield* Links
    const signer = yield* LinkKeys
    const mode = yield* MailMode
    const withWays = yield* makePersonWays

    const feedText = ({ feedVersion, id }: Pick<ScheduleRow, "feedVersion" | "id">, reader: string): string =>
      `oncall feed ${id} ${feedVersion} ${reader}`

    /** Names its reader: a feed ends with the reader's access, no matter who else has seen the schedule. */
    const tokenOf = (row: Pick<ScheduleRow, "feedVersion" | "id">, reader: string): string =>
      `${reader}.${signer.sign(feedText(row, reader))}`

    /** The record as a caller gets it. */
    const addressed = ({ principal }: Caller) => ({ feedVersion, ...schedule }: ReadSchedule): Schedule => ({
      ...schedule,
      feedUrl: links.onCallFeed(schedule.id, tokenOf({ feedVersion, id: schedule.id }, principalId(principal)))
    })

    /** The overrides that end after `from`, and the people of all schedules. */
    const context = Effect.fnUntraced(
      function*(workspaceId: WorkspaceId, rows: ReadonlyArray<ScheduleRow>, from: DateTime.Utc) {
        const overrides = yield* schedules.overrides(workspaceId, rows.map(({ id }) => id), from)
        const known = yield* withWays(workspaceId, yield* people.some(workspaceId, namedIn(rows, overrides)))
        const mailed = (yield* mode) === "sent"
        const members: People = new Map(known.map(personOf(mailed)))
        const overridesOf = ({ id }: ScheduleRow) => overrides.filter(({ scheduleId }) => scheduleId === id)
        const warningsOf = (row: ScheduleRow) => pagingWarnings(namedIn([row], overridesOf(row)), known, mailed)
        return { members, overridesOf, warningsOf }
      }
    )

    const records = Effect.fn("ReadOnCall.records")(
      function*(workspaceId: WorkspaceId, rows: ReadonlyArray<ScheduleRow>, days: number) {
        const now = yield* DateTime.now
        const { members, overridesOf, warningsOf } = yield* context(workspaceId, rows, now)
        // Many shifts are expensive, so that each schedule has a turn of its own.
        return yield* Effect.forEach(rows, (row) => {
          const overrides = overridesOf(row)
          const ahead = DateTime.add(now, { days: Math.max(days, defaultDays) })
          const shifts = shiftsBetween(row, overrides, now, ahead)
          const to = DateTime.add(now, { days })
          const onCall = shiftsAt(row, overrides, now).map(shownShift(members))
          const record: ReadSchedule = {
            ...row,
            current: onCall[0] ?? null,
            onCall,
            overrides,
            ...(days === 0 ? {} : {
              shifts: shifts.filter(({ start }) => DateTime.lessThan(start, to)).map(shownShift(members)),
              gaps: uncovered(shifts, now, to)
            }),
            warnings: [...warningsOf(row), ...gapWarnings(shifts, now, ahead)]
          }
          return Effect.as(Effect.yieldNow(), record)
        })
      }
    )

    /** The records that show who was on call from `from` on: rotations that applied, overrides, and the people of all. */
    const past = Effect.fnUntraced(function*(
      workspaceId: WorkspaceId,
      rows: ReadonlyArray<ScheduleRow>,
      from: DateTime.Utc,
      since: "creation" | "ever" = "creation"
    ) {
      const overrides = yield* schedules.overrides(workspaceId, rows.map(({ id }) => id), from)
      const periods = yield* schedules.rotations(workspaceId, rows.map(({ id }) => id), from)
      const named = [...namedIn(rows, overrides), ...periods.flatMap(({ rotation }) => namedInRotation(rotation))]
      const mailed = (yield* mode) === "sent"
      const known = yield* withWays(workspaceId, yield* people.some(workspaceId, named))
      const members: People = new Map(known.map(personOf(mailed)))
      return (row: ScheduleRow, begin: DateTime.Utc, end: DateTime.Utc) => {
        const history: ScheduleHistory = {
          past: periods.filter(({ scheduleId }) => scheduleId === row.id),
          rotation: row,
          createdAt: since === "creation" ? row.createdAt : null
        }
        return shiftsInHistory(history, overrides.filter(({ scheduleId }) => scheduleId === row.id), begin, end)
          .map(shownShift(members))
      }
    })

    const required = (workspaceId: WorkspaceId, id: ScheduleId) =>
      orNoSuch("on-call schedule", id, schedules.find(workspaceId, id))

    /** All schedules; with their shifts if `days` is not 0. */
    const list = Effect.fn("ReadOnCall.list")(function*(workspaceId: WorkspaceId, days: number) {
      return yield* records(workspaceId, yield* schedules.list(workspaceId), days)
    })

    /** A schedule with the shifts of `days` days, from now or from another time, past too. Fails with `not_found`. */
    const get = Effect.fn("ReadOnCall.get")(
      function*(workspaceId: WorkspaceId, id: ScheduleId, days: number = defaultDays, from: DateTime.Utc | null = null) {
        const row = yield* required(workspaceId, id)
        const [record] = yield* records(workspaceId, [row], days)
        if (record === undefined) return yield* noSuch("on-call schedule", id)
        if (from === null) return record
        const to = DateTime.add(from, { days })
        const shifts = (yield* past(workspaceId, [row], from))(row, from, to)
        return { ...record, shifts, gaps: uncovered(shifts, from, to) }
      }
    )

    /** By the rotations that apply now. */
    const present = Effect.fnUntraced(function*(workspaceId: WorkspaceId, rows: ReadonlyArray<ScheduleRow>, from: DateTime.Utc) {
      const { members, overridesOf } = yield* context(workspaceId, rows, from)
      return (row: ScheduleRow, begin: DateTime.Utc, end: DateTime.Utc) =>
        shiftsBetween(row, overridesOf(row), begin, end).map(shownShift(members))
    })

    /** The people on call now or at another time, for one schedule or for all. Fails with `not_found` for an unknown one. */
    const current = Effect.fn("ReadOnCall.current")(
      function*(workspaceId: WorkspaceId, id: ScheduleId | null, at: DateTime.Utc | null = null) {
        const rows = id === null ? yield* schedules.list(workspaceId) : [yield* required(workspaceId, id)]
        const instant = at ?? (yield* DateTime.now)
        const [from, to] = [DateTime.subtract(instant, { days: gapDays }), DateTime.add(instant, { days: gapDays })]
        const shiftsOf = yield* (at === null ? present : past)(workspaceId, rows, from)
        const entries = yield* Effect.forEach(rows, (row) => {
          const on = shiftsOf(row, instant, instant)
          return Effect.as(Effect.yieldNow(), onCallAt(row, on.length > 0 ? on : shiftsOf(row, from, to), instant))
        })
        return entries.flat()
      }
    )

    /** An override that was created, with a warning if no page reaches its person. */
    const warned = Effect.fn("ReadOnCall.warned")(function*(workspaceId: WorkspaceId, override: Override) {
      const pageable = yield* withWays(workspaceId, yield* people.some(workspaceId, [override.userId]))
      const warnings = pagingWarnings([override.userId], pageable, (yield* mode) === "sent")
      const created: CreatedOverride = warnings.length === 0 ? override : { ...override, warnings }
      return created
    })

    const members = Effect.fn("ReadOnCall.members")(function*(workspaceId: WorkspaceId) {
      const mailed = (yield* mode) === "sent"
      const pageable = yield* withWays(workspaceId, yield* people.members(workspaceId))
      return pageable.map(({ contact, email, id, mailTo, name, role, ways }): OnCallMember => ({
        id,
        name,
        email,
        role,
        contact: {
          email: mailed && mailTo !== null,
          phone: (contact.phone ?? null) !== null,
          slack: (contact.slack ?? null) !== null,
          telegram: (contact.telegram ?? null) !== null,
          ways: [...new Set(ways.map(({ kind }) => kind).filter((kind) => kind !== "email" || mailed))]
        }
      }))
    })

    /** The iCalendar text of a feed. Fails with `not_found` if the token is not of the schedule, or its reader has left. */
    const feed = Effect.fn("ReadOnCall.feed")(function*(id: string, token: string) {
      const { workspaceId, ...row } = yield* foundOr(schedules.ofFeed(ScheduleId.make(storable(id))), () => noFeed)
      const reader = storable(token.slice(0, token.indexOf(".")))
      const isOurs = signer.wasSigned(feedText(row, reader), token.slice(reader.length + 1))
      if (!isOurs || !(yield* schedules.mayRead(workspaceId, reader))) return yield* noFeed
      const now = yield* DateTime.now
      const from = DateTime.subtract(now, { days: keptDays })
      const shiftsOf = yield* past(workspaceId, [row], from, "ever")
      const shifts = shiftsOf(row, from, DateTime.add(now, { days: feedDays }))
      const events = shifts.map(({ end, overrideId, start, user }, at) => {
        // People who begin together, in order.
        const nth = at - shifts.findIndex((one) => DateTime.Equivalence(one.start, start))
        return {
          uid: `${overrideId ?? row.id}-${start.epochMillis}${nth === 0 ? "" : `-${nth}`}@belltower`,
          start,
          end,
          summary: `${isolated(user.name ?? user.email ?? "Somebody who has left")} on call: ${isolated(row.name)}`
        }
      })
      return calendarText({ name: row.name, shifts: events }, now)
    })

    return { list, get, addressed, current, members, feed, warned }
  })
}) {}
