/** The overrides of on-call schedules in documents: what plans show and make of them, and when they refuse. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Effect, Fiber } from "effect"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { signedIn } from "../../support/database/SignedIn.ts"
import { programOf } from "../../support/program/Program.ts"
import { type Json, newKey } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"

/** A workspace of two members. */
const newTeam = Effect.gen(function*() {
  const { host, port } = yield* ServerAddress
  const key = yield* newKey()
  const [alex, sam] = [yield* signedIn(key.workspaceId, "member", "Alex"), yield* signedIn(key.workspaceId, "member", "Sam")]
  return { ...clientOf(`http://${host}:${port}`, key.secret), workspaceId: key.workspaceId, alex, sam }
})

type Team = Effect.Effect.Success<typeof newTeam>

const hoursFromNow = (hours: number) => Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.add(now, { hours })))

const day = (number: number) => `2098-01-${String(number).padStart(2, "0")}T08:00:00.000Z`

const override = ({ email }: Team["alex"], from: number, to: number, note?: string) => ({
  user: email,
  start: day(from),
  end: day(to),
  ...(note === undefined ? {} : { note })
})

const rota = ({ alex, sam }: Team, overrides?: ReadonlyArray<object>) => ({
  key: "rota",
  name: "Rota",
  timezone: "Europe/Athens",
  handoffDay: 0,
  handoffTime: "09:00",
  participants: [alex.email, sam.email],
  ...(overrides === undefined ? {} : { overrides })
})

const planned = Effect.fn("planned")(function*(team: Team, overrides?: ReadonlyArray<object>) {
  const answer = yield* team.post("/plan", { document: { schedules: [rota(team, overrides)] } })
  expect(answer).toMatchObject({ status: 201 })
  const plan: Json = answer.body
  return plan
})

const applied = Effect.fn("applied")(function*(team: Team, overrides?: ReadonlyArray<object>) {
  const plan = yield* planned(team, overrides)
  expect(yield* team.post(`/plan/${plan.id}/apply`)).toMatchObject({ status: 200 })
  return plan
})

const scheduleOf = (team: Team) => Effect.map(team.get("/oncall/schedules"), ({ body }): Json => body.data[0])

const exported = (team: Team) => Effect.map(team.get("/export"), ({ body }): Json => body.schedules[0].overrides)

layer(programOf(), { excludeTestServices: true, timeout: "90 seconds" })("overrides in a document", (it) => {
  it.effect("are made, added and removed one by one, and an omitted list keeps them", () =>
    Effect.gen(function*() {
      const team = yield* newTeam
      const { alex, sam } = team
      const holiday = [override(sam, 1, 5, "Holiday"), override(alex, 3, 4)]
      yield* applied(team, holiday)
      expect(yield* exported(team)).toEqual(holiday)
      const before = yield* scheduleOf(team)
      expect(before.overrides.map(({ note, userId }: Json) => [userId, note])).toEqual([
        [sam.userId, "Holiday"],
        [alex.userId, null]
      ])
      expect((yield* planned(team)).changes).toEqual([])
      expect((yield* planned(team, holiday)).changes).toEqual([])

      const plan = yield* applied(team, [override(sam, 1, 5, "Holiday"), override(sam, 8, 9)])
      expect(plan.changes).toMatchObject([{ action: "update", kind: "schedule", key: "rota" }])
      expect(plan.changes[0].fields).toEqual([
        { path: "overrides", from: override(alex, 3, 4) },
        { path: "overrides", to: override(sam, 8, 9) }
      ])
      const after = yield* scheduleOf(team)
      // The first one is still the same, and so is the schedule.
      expect(after.overrides[0]).toEqual(before.overrides[0])
      expect(after.updatedAt).toBe(before.updatedAt)
      expect(after.overrides).toHaveLength(2)
      expect((yield* applied(team, [])).changes[0].fields).toHaveLength(2)
      expect((yield* scheduleOf(team)).overrides).toEqual([])
    }))

  it.effect("win in the order of the list, whatever was there before", () =>
    Effect.gen(function*() {
      const team = yield* newTeam
      const { alex, sam } = team
      const start = yield* hoursFromNow(-1)
      const end = yield* hoursFromNow(1)
      const [one, other] = [{ user: alex.email, start, end }, { user: sam.email, start, end }]
      for (const [list, winner] of [[[one, other], sam], [[other, one], alex]] as const) {
        yield* applied(team, list)
        expect((yield* scheduleOf(team)).current.user.id).toBe(winner.userId)
        expect(yield* exported(team)).toEqual(list)
      }
    }))

  it.effect("that have ended are left out and said; others are checked as the operation that makes one does", () =>
    Effect.gen(function*() {
      const team = yield* newTeam
      const { alex, sam } = team
      const ended = { user: "gone@example.com", start: "2020-01-01T00:00:00Z", end: "2020-01-02T00:00:00Z" }
      const plan = yield* applied(team, [ended, override(sam, 1, 2)])
      expect(plan.notes).toEqual(["1 override has ended and is left out"])
      expect(yield* exported(team)).toEqual([override(sam, 1, 2)])

      const wrong = yield* team.post("/plan", {
        document: {
          schedules: [rota(team, [
            override(alex, 2, 2),
            { ...override(alex, 1, 2), end: "2099-12-31T00:00:00Z" },
            { ...override(alex, 1, 2), user: "nobody@example.com" }
          ])]
        }
      })
      expect(wrong.status).toBe(422)
      expect(wrong.body.error.details.map(({ path }: Json) => path)).toEqual([
        "schedules.0.overrides.0.end",
        "schedules.0.overrides.1.end",
        "schedules.0.overrides.2.user"
      ])
      const hours = (count: number) =>
        Arr.makeBy(count, (at) => ({ ...override(sam, 1, 2), end: `2098-02-01T00:00:00.${String(at).padStart(3, "0")}Z` }))
      const many = yield* team.post("/plan", { document: { schedules: [rota(team, hours(201))] } })
      expect(many.body.error.message).toContain("at most 200 overrides")
      yield* applied(team, hours(200))
      const { id } = yield* scheduleOf(team)
      const more = yield* team.post(`/oncall/schedules/${id}/overrides`, { userId: sam.userId, start: day(1), end: day(2) })
      expect(more.body.error.message).toContain("at most 200 overrides")
    }))

  it.effect("of people who have left cannot be named and stay as they are", () =>
    Effect.gen(function*() {
      const team = yield* newTeam
      const { alex, sam } = team
      const sql = yield* SqlClient.SqlClient
      yield* applied(team, [override(sam, 1, 5), override(alex, 7, 8)])
      yield* sql`delete from memberships where workspace_id = ${team.workspaceId} and user_id = ${sam.userId}`
      expect(yield* exported(team)).toEqual([override(alex, 7, 8)])
      const document = (yield* team.get("/export")).body
      expect((yield* team.post("/plan", { document })).body.changes).toEqual([])
      expect((yield* scheduleOf(team)).overrides).toHaveLength(2)
    }))

  it.effect("are not applied after somebody has changed them, even if the change commits during the apply", () =>
    Effect.gen(function*() {
      const team = yield* newTeam
      const { alex, sam } = team
      const sql = yield* SqlClient.SqlClient
      yield* applied(team, [override(sam, 1, 2)])
      const { id } = yield* scheduleOf(team)
      const byHand = { userId: alex.userId, start: day(20), end: day(21) }
      const late = yield* planned(team, [override(sam, 3, 4)])
      const made = yield* team.post(`/oncall/schedules/${id}/overrides`, byHand)
      expect((yield* team.post(`/plan/${late.id}/apply`)).status).toBe(409)
      // A change back makes it the same plan again.
      yield* team.delete(`/oncall/schedules/${id}/overrides/${made.body.id}`)

      const fiber = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`select id from oncall_schedules where id = ${id} for no key update`
        yield* sql`
          insert into oncall_overrides (id, workspace_id, schedule_id, user_id, start_at, end_at, note, created_at)
          values (${`ovr_${id}`}, ${team.workspaceId}, ${id}, ${alex.userId}, ${day(20)}, ${day(21)}, null, now())`
        const applying = yield* Effect.fork(team.post(`/plan/${late.id}/apply`))
        yield* until(sql`select 1 from pg_locks where not granted`, (waiting) => waiting.length > 0)
        return applying
      }))
      expect((yield* Fiber.join(fiber)).status).toBe(409)
      expect((yield* exported(team)).map(({ start }: Json) => start)).toEqual([day(1), day(20)])
      // A plan that does not list them does not depend on them.
      expect((yield* planned(team)).changes).toEqual([])
    }))

  it.effect("are imported with their schedule, or say who is no member", () =>
    Effect.gen(function*() {
      const [team, other] = [yield* newTeam, yield* newTeam]
      const sql = yield* SqlClient.SqlClient
      const { alex, sam } = team
      const overrides = [override(sam, 1, 5), override(alex, 3, 4)]
      const ended = { user: alex.email, start: "2020-01-01T00:00:00Z", end: "2020-01-02T00:00:00Z" }
      const document = { schedules: [{ ...rota(team, [...overrides, ended]), participants: [alex.email] }] }
      const join = ({ userId }: Team["alex"]) =>
        sql`insert into memberships (workspace_id, user_id, role, created_at) values (${other.workspaceId}, ${userId}, 'member', now())`
      yield* join(alex)
      const preview = (yield* other.post("/import/preview", { source: "belltower", document })).body
      expect(preview.onCall).toMatchObject([{
        ref: "schedule:rota",
        notes: ["1 override has ended and is left out", expect.stringContaining(`${sam.email} is no member`)]
      }])
      const run = Effect.gen(function*() {
        const { body } = yield* other.post("/import", { source: "belltower", document })
        return (yield* until(other.get(`/import/jobs/${body.id}`), (job) => job.body.finishedAt !== null)).body
      })
      expect((yield* run).skipped).toMatchObject([{ ref: "schedule:rota", reason: expect.stringContaining(sam.email) }])
      expect((yield* other.get("/oncall/schedules")).body.data).toEqual([])
      yield* join(sam)
      expect((yield* run).created).toMatchObject([{ ref: "schedule:rota" }])
      expect(yield* exported(other)).toEqual(overrides)
      expect((yield* other.post("/plan", { document })).body.changes).toEqual([])
    }))
})
