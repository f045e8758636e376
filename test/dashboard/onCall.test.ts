/** The views of rotations: layers by a form, gaps in the calendar, and shifts taken over and swapped by one button. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { WorkspaceId } from "../../schema/Ids.ts"
import { newOwner } from "../support/browser/Visitor.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { programOf } from "../support/program/Program.ts"
import type { Json } from "../support/program/TestServer.ts"
import { submitted } from "./Forms.ts"

/** Text as a reader sees it. */
const plain = (html: string): string => html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ")

layer(programOf({}), { excludeTestServices: true, timeout: "90 seconds" })("The views of a rotation", (it) => {
  it.effect("make layers, hours and several people of one form, and take them away again", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const blake = yield* signedIn(WorkspaceId.make(id), "member", "Blake")
      const casey = yield* signedIn(WorkspaceId.make(id), "member", "Casey")
      const made = yield* submitted(visitor, "/app/on-call/new", "new-schedule", {
        name: "Platform",
        timezone: "Europe/Athens",
        turnUnit: "day",
        "turnLength:number": "2",
        "atOnce:number": "2",
        "participants.1": blake.userId,
        "hours.0.days:numberList+": "0,1,2,3,4",
        "hours.0.from": "08:00",
        "hours.0.to": "18:00",
        "layers.0.name": "Weekend",
        "layers.0.participants.0": casey.userId,
        "layers.0.hours.0.days:numberList+": "5,6",
        "layers.0.hours.0.from": "00:00",
        "layers.0.hours.0.to": "00:00"
      })
      expect(made.text).toContain("Schedule created")
      const [schedule] = (yield* visitor.api("GET", "/oncall/schedules")).body.data
      expect(schedule).toMatchObject({
        turnUnit: "day",
        turnLength: 2,
        atOnce: 2,
        hours: [{ days: [0, 1, 2, 3, 4], from: "08:00", to: "18:00" }],
        layers: [{
          name: "Weekend",
          participants: [casey.userId],
          handoffTime: "09:00",
          hours: [{ days: [5, 6] }],
          beside: false
        }]
      })
      const path = `/app/on-call/${schedule.id}`
      const shown = yield* visitor.get(path)
      // Nobody is on call in the nights: the calendar and the warning say it.
      expect(shown.text).toContain("<b class=\"gap\">Nobody</b>")
      expect(shown.text).toContain("class=\"nobody\"")
      expect(shown.text).toContain("Nobody is on call from ")
      yield* submitted(visitor, path, "edit-schedule", { name: "Core" })
      const same = (yield* visitor.api("GET", `/oncall/schedules/${schedule.id}`)).body
      expect(same).toMatchObject({ name: "Core", layers: schedule.layers, hours: schedule.hours, startDay: schedule.startDay })
      const field = (name: string) => `${name}:moment@Europe/Athens`
      const times = { [field("activeFrom")]: "2026-01-05T09:00", [field("activeUntil")]: "2099-01-05T09:00" }
      yield* submitted(visitor, path, "edit-schedule", times)
      yield* submitted(visitor, path, "edit-schedule", { name: "Main" })
      const read = Effect.map(visitor.api("GET", `/oncall/schedules/${schedule.id}`), ({ body }) => body)
      const limits = { activeFrom: "2026-01-05T07:00:00.000Z", activeUntil: "2099-01-05T07:00:00.000Z" }
      expect(yield* read).toMatchObject({ name: "Main", ...limits })
      yield* submitted(visitor, path, "edit-schedule", { [field("activeUntil")]: "" })
      expect(yield* read).toMatchObject({ ...limits, activeUntil: null })
      const cleared = {
        "hours.0.days:numberList+": "",
        "hours.0.from": "",
        "hours.0.to": "",
        "layers.0.name": "",
        "layers.0.turnUnit": "",
        "layers.0.turnLength:number": "",
        "layers.0.atOnce:number": "",
        "layers.0.handoffDay:number": "",
        "layers.0.handoffTime": "",
        "layers.0.startDay": "",
        "layers.0.participants.0": "",
        "layers.0.hours.0.days:numberList+": "",
        "layers.0.hours.0.from": "",
        "layers.0.hours.0.to": ""
      }
      yield* submitted(visitor, path, "edit-schedule", cleared)
      const bare = (yield* visitor.api("GET", `/oncall/schedules/${schedule.id}`)).body
      expect(bare).toMatchObject({ layers: [], hours: [], gaps: [], atOnce: 2 })
      expect((yield* visitor.get(`${path}?weeks=-6`)).text).toContain("This week")
    }))

  it.effect("take over a shift, and swap it for one's own, by one button", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const blake = yield* signedIn(WorkspaceId.make(id), "member", "Blake")
      yield* submitted(visitor, "/app/on-call/new", "new-schedule", {
        name: "Platform",
        timezone: "UTC",
        turnUnit: "day",
        "participants.1": blake.userId
      })
      const read = Effect.map(visitor.api("GET", "/oncall/schedules?days=4"), ({ body }) => body.data[0])
      const schedule = yield* read
      const path = `/app/on-call/${schedule.id}`
      const [first, second] = schedule.shifts
      expect(second.user.name).toBe("Blake")
      const swapped = yield* submitted(visitor, path, "swap-1")
      expect(swapped.text).toContain("The shifts are swapped")
      expect((yield* read).shifts.slice(0, 2).map(({ user }: Json) => user.id)).toEqual([blake.userId, first.user.id])
      const taken = yield* submitted(visitor, path, "take-0")
      expect(taken.text).toContain("The shift is yours")
      const after = yield* read
      expect(after.current).toMatchObject({ user: { id: first.user.id }, end: first.end })
      const now = DateTime.formatIso(yield* DateTime.now)
      expect(after.overrides.filter(({ start }: Json) => start <= now)).toHaveLength(2)
      expect(after.overrides.every(({ insteadOf }: Json) => insteadOf !== null)).toBe(true)
    }))

  it.effect("hand any shift over, swap any two, and take over now; the others get a mail", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const sql = yield* SqlClient.SqlClient
      const workspaceId = WorkspaceId.make(id)
      const blake = yield* signedIn(workspaceId, "member", "Blake")
      const casey = yield* signedIn(workspaceId, "member", "Casey")
      yield* sql`update users set email_proved_at = now() where id = any(${[blake.userId, casey.userId]}::text[])`
      yield* submitted(visitor, "/app/on-call/new", "new-schedule", {
        name: "Platform",
        timezone: "UTC",
        turnUnit: "day",
        "participants.0": blake.userId,
        "participants.1": casey.userId
      })
      const read = Effect.map(visitor.api("GET", "/oncall/schedules?days=4"), ({ body }) => body.data[0])
      const names = Effect.map(read, ({ shifts }) => shifts.map(({ user }: Json) => user.name))
      const mails = sql<{ readonly to: string; readonly subject: string }>`
        select recipient as to, subject from mails where subject like '%on call for%' or subject like 'Your shifts%' order by id`
      const schedule = yield* read
      const path = `/app/on-call/${schedule.id}`
      const [first, second, third] = schedule.shifts
      expect(yield* names).toEqual(["Blake", "Casey", "Blake", "Casey", "Blake"])

      const swapped = yield* submitted(visitor, path, "exchange-0", {
        "other:shift": `${second.user.id} ${second.start} ${second.end}`
      })
      expect(swapped.text).toContain("The shifts are swapped")
      expect((yield* names).slice(0, 3)).toEqual(["Casey", "Blake", "Blake"])
      const given = yield* submitted(visitor, path, "give-2", { userId: casey.userId })
      expect(given.text).toContain("The shift is handed over")
      expect((yield* names).slice(0, 4)).toEqual(["Casey", "Blake", "Casey", "Casey"])
      expect(third.user.id).toBe(blake.userId)
      const taken = yield* submitted(visitor, "/app/on-call", "take-over-0")
      expect(taken.text).toContain("You are on call")
      expect(taken.status).toBe(200)
      const { current } = yield* read
      const me = (yield* visitor.api("GET", "/me")).body.user
      expect(current).toMatchObject({ user: { id: me.id }, end: first.end })

      const sent = (yield* mails).map(({ subject, to }) => [to, subject.replace(/[\u2068\u2069]/g, "")])
      expect(new Set(sent.slice(0, 2).map(String))).toEqual(
        new Set(
          [[blake.email, "Your shifts of Platform have changed"], [casey.email, "Your shifts of Platform have changed"]].map(
            String
          )
        )
      )
      expect(new Set(sent.slice(2, 4).map(String))).toEqual(
        new Set([
          [blake.email, "You are no longer on call for Platform"],
          [casey.email, "You are on call for Platform"]
        ].map(String))
      )
      expect(sent.slice(4)).toEqual([[casey.email, "You are no longer on call for Platform"]])
    }))

  it.effect("say which ways reach whom, and who was on call at a past time", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const sql = yield* SqlClient.SqlClient
      const workspaceId = WorkspaceId.make(id)
      const blake = yield* signedIn(workspaceId, "member", "Blake")
      const casey = yield* signedIn(workspaceId, "member", "Casey")
      // Blake has a device alone: no mail goes to an address that nobody has confirmed.
      yield* sql`
        insert into contact_ways (id, workspace_id, user_id, kind, label, shown, sealed, target_hash, verified_at, created_at, updated_at)
        values (${`way_${blake.userId}`}, ${id}, ${blake.userId}, 'push', 'Phone', 'push.example.com', '', ''::bytea, now(), now(), now())`
      const made = yield* visitor.api("POST", "/oncall/schedules", {
        name: "Platform",
        timezone: "UTC",
        handoffDay: 0,
        handoffTime: "09:00",
        participants: [casey.userId]
      })
      yield* sql`
        update oncall_schedules set created_at = now() - interval '90 days' where id = ${made.body.id}`
      const { text } = yield* visitor.get("/app/on-call")
      const rowOf = (userId: string) => plain(new RegExp(`id="member-${userId}"([\\s\\S]*?)</li>`).exec(text)?.[1] ?? "")
      expect(rowOf(blake.userId)).toContain("Push")
      expect(rowOf(casey.userId)).toContain("Cannot be paged")
      const { text: schedule } = yield* visitor.get(`/app/on-call/${made.body.id}`)
      expect(schedule).toMatch(/<option[^>]*>Blake</)
      expect(schedule).toMatch(/<option[^>]*>Casey \(cannot be paged\)</)

      const past = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 16)
      yield* visitor.api("PATCH", `/oncall/schedules/${made.body.id}`, { participants: [blake.userId] })
      const nowOf = (shown: string) => plain(/<section[^>]*id="now"[\s\S]*?<\/section>/.exec(shown)?.[0] ?? "")
      expect(nowOf((yield* visitor.get("/app/on-call")).text)).toMatch(/On call now\s*Blake/)
      const then = yield* visitor.get(`/app/on-call?at=${past}`)
      expect(nowOf(then.text)).toMatch(/Casey/)
      expect(nowOf(then.text)).not.toMatch(/Blake|Cannot be paged/)
      expect(then.text).toContain(`value="${past}"`)
      expect((yield* visitor.get("/app/on-call?at=yesterday")).text).toContain("On call now")
    }))

  it.effect("take shifts from a calendar, and name the events that were left out", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const blake = yield* signedIn(WorkspaceId.make(id), "member", "Blake")
      const { body: made } = yield* visitor.api("POST", "/oncall/schedules", {
        name: "Core",
        timezone: "UTC",
        handoffDay: 0,
        handoffTime: "09:00",
        participants: [blake.userId]
      })
      const timeIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:]|\.\d+/g, "")
      const eventOf = (
        summary: string
      ) => ["BEGIN:VEVENT", `UID:${summary}`, `DTSTART:${timeIn(2)}`, `DTEND:${timeIn(3)}`, `SUMMARY:${summary}`, "END:VEVENT"]
      const calendar = ["BEGIN:VCALENDAR", ...eventOf("Blake on duty"), ...eventOf("Holiday"), "END:VCALENDAR"].join("\r\n")
      const path = `/app/on-call/${made.id}`
      const taken = plain((yield* submitted(visitor, path, "take-calendar", { "calendar:raw": calendar })).text)
      expect(taken).toContain("1 override added 1 event left out: Holiday: It names no member, or several")
      const { body: { overrides } } = yield* visitor.api("GET", `/oncall/schedules/${made.id}`)
      expect(overrides).toMatchObject([{ userId: blake.userId, note: "Blake on duty" }])
      const refused = yield* submitted(visitor, path, "take-calendar", { "calendar:raw": "Blake on Monday" })
      expect([refused.status, refused.text.includes("This is no iCalendar text")]).toEqual([422, true])
    }))
})
