/** Rotations of several layers through the interface: who is on call, now and in the past, gaps, swaps and calendars. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array, DateTime, Effect } from "effect"
import { momentText } from "../../../src/domain/tools/time/Moments.ts"
import { signedIn } from "../../support/database/SignedIn.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { call, type Json } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"
import { newPage } from "../incident/Fixtures.ts"

const iso = (at: DateTime.Utc) => DateTime.formatIso(at)

/** A workspace with members, by name. */
const people = Effect.fn("people")(function*(...names: ReadonlyArray<string>) {
  const { client, workspaceId } = yield* newPage
  const sql = yield* SqlClient.SqlClient
  yield* sql`update workspaces set claimed_at = now() where id = ${workspaceId}`
  const members = yield* Effect.forEach(names, (name) => signedIn(workspaceId, "member", name))
  const now = yield* DateTime.now
  const ids = members.map(({ userId }) => userId)
  const rotation = { name: "Platform", timezone: "UTC", handoffDay: 0, handoffTime: "00:00", participants: ids }
  const make = (more: object) => Effect.map(client.post("/oncall/schedules", { ...rotation, ...more }), ({ body }) => body)
  const onCall = (id: string, at?: DateTime.Utc) =>
    Effect.map(
      client.get(`/oncall/current?scheduleId=${id}${at === undefined ? "" : `&at=${iso(at)}`}`),
      ({ body }) => body.data.map(({ user }: Json) => user?.name ?? null)
    )
  return { client, sql, ids, members, now, make, onCall }
})

layer(TestProgram, { excludeTestServices: true, timeout: "90 seconds" })("a rotation of layers", (it) => {
  it.effect("has several people on call, beside and in the place of others, as its record says", () =>
    Effect.gen(function*() {
      const { client, ids, make, onCall } = yield* people("Alex", "Blake", "Casey")
      const made = yield* make({
        atOnce: 2,
        layers: [{ name: "Lead", participants: [ids[2]], beside: true }]
      })
      expect(yield* onCall(made.id)).toEqual(["Alex", "Blake", "Casey"])
      expect(made.onCall.map(({ user }: Json) => user.name)).toEqual(["Alex", "Blake", "Casey"])
      expect(made).toMatchObject({ current: { user: { name: "Alex" } }, gaps: [], layers: [{ name: "Lead", turnUnit: "week" }] })
      const { body: replaced } = yield* client.patch(`/oncall/schedules/${made.id}`, { layers: [{ participants: [ids[2]] }] })
      expect(replaced.onCall.map(({ user }: Json) => user.name)).toEqual(["Casey"])
      const { body: emptied } = yield* client.patch(`/oncall/schedules/${made.id}`, { layers: [] })
      expect(emptied).toMatchObject({ layers: [], current: { user: { name: "Alex" } } })
      const strange = yield* client.patch(`/oncall/schedules/${made.id}`, { layers: [{ participants: [ids[0], "usr_nobody"] }] })
      expect(strange.status).toBe(422)
      expect(JSON.stringify(strange.body)).toContain("layers.0.participants.1")
    }))

  it.effect("refuses a bound that leaves no time beside the stored one", () =>
    Effect.gen(function*() {
      const { client, make } = yield* people("Alex")
      const made = yield* make({ activeFrom: "2099-01-10T00:00:00Z" })
      const path = `/oncall/schedules/${made.id}`
      const refused = yield* client.patch(path, { activeUntil: "2099-01-01T00:00:00Z" })
      expect([refused.status, refused.body.error.details[0].path]).toEqual([422, "activeUntil"])
      expect((yield* client.patch(path, { activeFrom: null, activeUntil: "2099-01-01T00:00:00Z" })).status).toBe(200)
      expect((yield* client.patch(path, { activeFrom: "2099-01-01T00:00:00Z" })).status).toBe(422)
    }))

  it.effect("reports the times that nobody covers, and pages nobody then", () =>
    Effect.gen(function*() {
      const { client, make, now, onCall } = yield* people("Alex")
      // Open for the two hours that began an hour ago, and two days from now, each week.
      const from = DateTime.startOf(DateTime.subtract(now, { hours: 1 }), "hour")
      const clock = (at: DateTime.Utc) => iso(at).slice(11, 16)
      const day = (at: DateTime.Utc) => (DateTime.toPartsUtc(at).weekDay + 6) % 7
      const later = DateTime.add(from, { days: 2 })
      const hours = [from, later].map((one) => ({
        days: [day(one)],
        from: clock(one),
        to: clock(DateTime.add(one, { hours: 3 }))
      }))
      const made = yield* make({ hours })
      expect(yield* onCall(made.id)).toEqual(["Alex"])
      const shut = DateTime.add(from, { hours: 3 })
      expect(made.gaps[0]).toEqual({ start: iso(shut), end: iso(later) })
      expect(made.warnings.at(-1)).toBe(
        `Nobody is on call from ${momentText(shut, "UTC")} to ${momentText(later, "UTC")} and at ${
          made.gaps.length - 1
        } more times in the next 14 days.`
      )
      const { body } = yield* client.get(`/oncall/current?at=${iso(shut)}`)
      expect(body.data).toEqual([
        { scheduleId: made.id, scheduleName: "Platform", user: null, since: iso(shut), until: iso(later), override: false }
      ])
    }))

  it.effect("answers who was on call then, although the rotation and overrides change afterwards", () =>
    Effect.gen(function*() {
      const { client, ids, make, now, onCall, sql } = yield* people("Alex", "Blake")
      const made = yield* make({ participants: [ids[0]] })
      const before = DateTime.subtract(now, { days: 10 })
      yield* sql`update oncall_schedules set created_at = ${DateTime.toDateUtc(before)} where id = ${made.id}`
      expect(yield* onCall(made.id, DateTime.subtract(now, { days: 11 }))).toEqual([null])
      expect(yield* onCall(made.id, DateTime.subtract(now, { days: 3 }))).toEqual(["Alex"])
      yield* client.patch(`/oncall/schedules/${made.id}`, { participants: [ids[1]] })
      expect(yield* onCall(made.id)).toEqual(["Blake"])
      expect(yield* onCall(made.id, DateTime.subtract(now, { days: 3 }))).toEqual(["Alex"])
      // A new name keeps nothing; two changes keep two rotations.
      yield* client.patch(`/oncall/schedules/${made.id}`, { name: "Renamed" })
      yield* client.patch(`/oncall/schedules/${made.id}`, { layers: [{ participants: [ids[0]], turnUnit: "day" }] })
      expect(yield* sql`select 1 from oncall_rotations where schedule_id = ${made.id}`).toHaveLength(2)
      expect(yield* onCall(made.id, DateTime.subtract(now, { days: 3 }))).toEqual(["Alex"])
      // An override counts from when it was made, not from when it says that it began; removing it changes nothing before.
      const { body: override } = yield* client.post(`/oncall/schedules/${made.id}/overrides`, {
        userId: ids[1],
        start: iso(DateTime.subtract(now, { days: 5 })),
        end: iso(DateTime.add(now, { days: 5 }))
      })
      expect(yield* onCall(made.id, DateTime.subtract(now, { days: 3 }))).toEqual(["Alex"])
      yield* sql`update oncall_overrides set created_at = start_at where id = ${override.id}`
      expect(yield* onCall(made.id, DateTime.subtract(now, { days: 3 }))).toEqual(["Blake"])
      const path = `/oncall/schedules/${made.id}/overrides/${override.id}`
      expect((yield* client.delete(path)).status).toBe(200)
      expect([yield* onCall(made.id), yield* onCall(made.id, DateTime.subtract(now, { days: 3 }))]).toEqual([["Alex"], ["Blake"]])
      expect((yield* client.delete(path)).status).toBe(404)
      const from = iso(DateTime.subtract(now, { days: 7 }))
      const { body: listed } = yield* client.get(`/oncall/schedules/${made.id}?days=5&from=${from}`)
      // On some days of the week, Alex hands over to Alex in between.
      expect(Array.dedupeAdjacent(listed.shifts.map(({ user }: Json) => user.name))).toEqual(["Alex", "Blake"])
      expect([listed.shifts[0].start <= from, listed.gaps, listed.current.user.name]).toEqual([true, [], "Alex"])
    }))

  it.effect("counts again once the person of an override has left, and the removal names what still has them", () =>
    Effect.gen(function*() {
      const { client, ids: [ada, ben], make, now, onCall } = yield* people("Ada", "Ben")
      const { id } = yield* make({ participants: [ada] })
      const override = (from: number, to: number) =>
        client.post(`/oncall/schedules/${id}/overrides`, {
          userId: ben,
          start: iso(DateTime.add(now, { hours: from })),
          end: iso(DateTime.add(now, { hours: to }))
        })
      yield* override(-1, 1)
      yield* override(2, 3)
      const then = DateTime.add(now, { minutes: 150 })
      expect([yield* onCall(id), yield* onCall(id, then)]).toEqual([["Ben"], ["Ben"]])
      const left = yield* client.delete(`/members/${ben}`)
      expect([left.status, left.body.warnings]).toEqual([200, undefined])
      expect([yield* onCall(id), yield* onCall(id, then)]).toEqual([["Ada"], ["Ada"]])
      yield* client.post("/escalation-policies", {
        name: "All",
        levels: [{ afterMinutes: 0, targets: [{ type: "user", id: ada }] }]
      })
      const { body } = yield* client.delete(`/members/${ada}`)
      expect(body.warnings).toEqual([
        "The on-call schedule Platform still names them: nobody is paged in their turns.",
        "The escalation policy All still names them: nobody is paged in their place."
      ])
    }))

  it.effect("swaps two shifts at once, hands one over, and refuses what has changed", () =>
    Effect.gen(function*() {
      const { client, ids, make, now, onCall } = yield* people("Alex", "Blake", "Casey")
      const made = yield* make({ atOnce: 1 })
      const ref = ({ end, start, user }: Json) => ({ userId: user.id, start, end })
      const [one, other] = made.shifts.map(ref)
      const swapped = yield* client.post(`/oncall/schedules/${made.id}/swap`, { one, other })
      expect(swapped.status).toBe(201)
      expect(swapped.body.data).toMatchObject([{ userId: ids[1], insteadOf: ids[0] }, { userId: ids[0], insteadOf: ids[1] }])
      const next = DateTime.toUtc(DateTime.add(DateTime.unsafeMake(other.start), { hours: 1 }))
      expect([yield* onCall(made.id), yield* onCall(made.id, next)]).toEqual([["Blake"], ["Alex"]])
      const again = yield* client.post(`/oncall/schedules/${made.id}/swap`, { one, other })
      expect([again.status, again.body.error.code]).toEqual([409, "conflict"])
      const same = yield* client.post(`/oncall/schedules/${made.id}/swap`, { one, other: one })
      expect(same.status).toBe(422)
      // Casey takes over from Alex alone: where somebody else is on call, nothing changes.
      yield* client.post(`/oncall/schedules/${made.id}/overrides`, {
        userId: ids[2],
        insteadOf: ids[0],
        start: iso(now),
        end: other.end
      })
      expect([yield* onCall(made.id), yield* onCall(made.id, next)]).toEqual([["Blake"], ["Casey"]])
      expect((yield* client.get(`/oncall/schedules/${made.id}`)).body.overrides[0]).toHaveProperty("insteadOf")
      // In the place of a stranger she would never be on call.
      const stranger = yield* client.post(`/oncall/schedules/${made.id}/overrides`, {
        userId: ids[2],
        insteadOf: "usr_stranger",
        start: iso(now),
        end: other.end
      })
      expect([stranger.status, stranger.body.error.details[0].path]).toEqual([422, "insteadOf"])
    }))

  it.effect("takes in a calendar, and its own feed again without an addition", () =>
    Effect.gen(function*() {
      const { client, make, now, onCall } = yield* people("Alex", "Blake")
      const made = yield* make({})
      const stamp = (at: DateTime.Utc) => iso(at).slice(0, 19).replace(/[-:]/g, "") + "Z"
      const event = (summary: string, from: number, to: number) => [
        "BEGIN:VEVENT",
        `SUMMARY:${summary}`,
        `DTSTART:${stamp(DateTime.add(now, { hours: from }))}`,
        `DTEND:${stamp(DateTime.add(now, { hours: to }))}`,
        "END:VEVENT"
      ]
      const events = [
        event("Blake on call", 1, 5),
        event("Dana on call", 5, 6),
        event("Blake on call", -9, -2)
      ].flat()
      const calendar = ["BEGIN:VCALENDAR", ...events, "END:VCALENDAR"].join("\r\n")
      const path = `/oncall/schedules/${made.id}/calendar`
      const { body } = yield* client.post(path, { calendar })
      expect(body.added).toMatchObject([{ note: "Blake on call" }])
      expect(body.skipped).toEqual([{ summary: "Dana on call", reason: "It names no member, or several" }])
      expect(yield* onCall(made.id, DateTime.add(now, { hours: 2 }))).toEqual(["Blake"])
      expect((yield* client.post(path, { calendar })).body.added).toEqual([])
      const other = yield* make({})
      const feed = yield* Effect.flatMap(
        call(new URL(made.feedUrl).pathname),
        (answer) => Effect.promise(() => answer.text())
      )
      const taken = yield* client.post(`/oncall/schedules/${other.id}/calendar`, { calendar: feed })
      expect(taken.body.skipped).toEqual([])
      expect(taken.body.added.length).toBeGreaterThan(5)
      expect(yield* onCall(other.id, DateTime.add(now, { hours: 2 }))).toEqual(["Blake"])
      expect((yield* client.post(path, { calendar: "no" })).status).toBe(422)
    }))

  it.effect("is exported with its layers, and a plan of the export changes nothing", () =>
    Effect.gen(function*() {
      const { client, ids, make, members } = yield* people("Alex", "Blake")
      yield* make({
        turnUnit: "day",
        turnLength: 2,
        hours: [{ days: [0, 1], from: "08:00", to: "18:00" }],
        layers: [{ name: "Weekend", participants: [ids[1]], hours: [{ days: [5, 6], from: "00:00", to: "00:00" }], beside: true }]
      })
      const { body: document } = yield* client.get("/export")
      expect(document.schedules).toMatchObject([{
        turnUnit: "day",
        turnLength: 2,
        layers: [{ name: "Weekend", participants: [members[1]?.email], handoffTime: "00:00", beside: true }]
      }])
      expect((yield* client.post("/plan", { document })).body.changes).toEqual([])
      const [schedule] = document.schedules
      const { layers: _, turnLength: __, ...less } = schedule
      const plan = (yield* client.post("/plan", { document: { ...document, schedules: [less] } })).body
      expect(plan.changes).toHaveLength(1)
      expect((yield* client.post(`/plan/${plan.id}/apply`, {})).status).toBe(200)
      expect((yield* client.get("/oncall/schedules")).body.data).toMatchObject([{ layers: [], turnLength: 1, turnUnit: "day" }])
    }))

  it.effect("is imported from another service, for members only, and only once", () =>
    Effect.gen(function*() {
      const { client, members, onCall } = yield* people("Alex", "Blake")
      const layerOf = (name: string, ...ids: ReadonlyArray<string>) => ({
        name,
        start: "2026-01-05T09:00:00Z",
        rotation_virtual_start: "2026-01-05T09:00:00Z",
        rotation_turn_length_seconds: 86_400,
        users: ids.map((id) => ({ user: { id } }))
      })
      const schedule = (id: string, ...layers: ReadonlyArray<object>) => ({
        id,
        name: id,
        time_zone: "UTC",
        schedule_layers: layers
      })
      const document = {
        schedules: [
          schedule("Core", layerOf("Lead", "P2"), layerOf("Daily", "P1", "P2")),
          schedule("Strange", layerOf("Daily", "P1", "P3"))
        ],
        users: [
          { id: "P1", email: members[0]?.email },
          { id: "P2", email: members[1]?.email },
          { id: "P3", email: "stranger@example.com" }
        ]
      }
      const input = { source: "pagerduty", document }
      const { body: preview } = yield* client.post("/import/preview", input)
      expect(preview.onCall).toMatchObject([
        { ref: "schedule:Core", action: "create" },
        { ref: "schedule:Strange", action: "unsupported", notes: [expect.stringContaining("stranger@example.com is no member")] }
      ])
      const run = Effect.gen(function*() {
        const { body: started } = yield* client.post("/import", input)
        return (yield* until(client.get(`/import/jobs/${started.id}`), ({ body }) => body.finishedAt !== null)).body
      })
      const [made] = (yield* run).created
      expect(made).toMatchObject({ ref: "schedule:Core", kind: "schedule" })
      expect((yield* client.get(`/oncall/schedules/${made.id}`)).body).toMatchObject({
        turnUnit: "day",
        layers: [{ name: "Lead" }]
      })
      expect(yield* onCall(made.id)).toEqual(["Blake"])
      expect((yield* run).created).toEqual([])
      const none = yield* client.post("/import/preview", { source: "opsgenie", document: {} })
      expect([none.status, none.body.error.message]).toEqual([422, "The document has no schedules or escalation policies"])
    }))
})
