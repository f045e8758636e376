/** Pages, reminders and maintenance minute by minute on a clock that the story moves, by processes that die in between. */
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Context, DateTime, Effect, Exit, Fiber, Layer, Logger, LogLevel, Option, Schema, Scope } from "effect"
import { AlarmClock } from "../../../cluster/AlarmClock.ts"
import * as Runner from "../../../cluster/Runner.ts"
import { IncidentId, UserId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { LocalBus } from "../../../src/bus/LocalBus.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { TakePings } from "../../../src/operations/monitor/TakePings.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { ManagePagingRules } from "../../../src/operations/paging/ManagePagingRules.ts"
import { LiveChecks } from "../../../src/services/check/LiveChecks.ts"
import { Users } from "../../../src/store/people/Users.ts"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { makeStoryClock, newStoryDatabase } from "../../support/database/StoryDatabase.ts"
import { callerOf } from "../../support/program/KeyCaller.ts"
import { groundOn, newWorkspace } from "../../support/program/TestRunner.ts"

/** When each story begins. */
const began = DateTime.unsafeMake("2026-11-02T09:00:00Z")

/** All that wakes and hosts the actors of incidents and monitors. */
const actors = AlarmClock.pipe(
  Layer.provide(Runner.actors),
  Layer.provide(LiveChecks.layer)
)

const operations = Layer.mergeAll(
  AcknowledgeIncident.Default,
  ManageMonitors.Default,
  ManagePagingRules.Default,
  ManagePolicies.Default,
  OpenIncident.Default,
  TakePings.Default
)

/** A database, and processes on it one after the other; each begins with nothing but its rows. */
const makeStory = Effect.gen(function*() {
  const address = yield* newStoryDatabase
  const pool = Database.layer(address, { maxConnections: 5, applicationName: "belltower story" })
  const process = Layer.provideMerge(Layer.merge(actors, operations), groundOn(LocalBus.layer, pool)).pipe(
    // Connections look dead to a process whose clock jumps, and it says so.
    Layer.provide(Logger.minimumLogLevel(LogLevel.None))
  )
  const sql = Context.get(yield* Layer.build(pool), SqlClient.SqlClient)
  const { clock, eventually, minute } = yield* makeStoryClock(sql, began)

  /** On the story's clock, which moves on by moments until the work is done. */
  const done = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.fork(Effect.withClock(work, clock))
      yield* eventually(Fiber.poll(fiber), Option.isSome)
      return yield* Fiber.join(fiber)
    })

  const start = Effect.gen(function*() {
    const scope = yield* Effect.acquireRelease(Scope.make(), (made) => Scope.close(made, Exit.void))
    const services = yield* done(Layer.buildWithScope(process, scope))
    return {
      does: <A, E>(work: Effect.Effect<A, E, Layer.Layer.Success<typeof process>>) => done(Effect.provide(work, services)),
      dies: done(Scope.close(scope, Exit.void))
    }
  })
  return { sql, start, eventually, minute }
})

/** A workspace with one member, who is paged immediately and after ten minutes, and again from the start half an hour later. */
const pagedWorkspace = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const sql = yield* SqlClient.SqlClient
  const email = Schema.decodeSync(EmailAddress)("person@example.com")
  const { id } = yield* Effect.flatMap(Users, (users) => users.ensure(email, true, null))
  yield* sql`
    insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${id}, 'member', now())`
  const targets = [{ type: "user" as const, id: UserId.make(id) }]
  yield* Effect.flatMap(ManagePolicies, ({ create }) =>
    create(workspaceId, {
      name: "Platform",
      levels: [{ afterMinutes: 0, targets }, { afterMinutes: 10, targets }],
      repeat: 1,
      repeatAfterMinutes: 30
    }))
  const incident = yield* Effect.flatMap(
    OpenIncident,
    ({ create }) => create(workspaceId, { title: "Slow checkout", message: "We look into it." })
  )
  return { workspaceId, incidentId: incident.id }
})

/** The events of a type, each with the whole minutes of the story until then. */
const eventsOf = (sql: SqlClient.SqlClient, type: string) =>
  Effect.map(
    sql<{ readonly at: Date; readonly data: Readonly<Record<string, number>> }>`
      select at, data from events where type = ${type} order by id`,
    (rows) =>
      rows.map(({ at, data }) => ({
        data,
        minute: Math.floor(DateTime.distance(began, DateTime.unsafeFromDate(at)) / 60_000)
      }))
  )

const pagesOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    eventsOf(sql, "incident.escalated"),
    (all) =>
      all.map(({ data: { level, round, unacknowledgedForMinutes }, minute }) => ({
        minute,
        round,
        level,
        unacknowledgedForMinutes
      }))
  )

/** A page that `pagesOf` returns. */
const page = (minute: number, round: number, level: number, unacknowledgedForMinutes = minute) => ({
  minute,
  round,
  level,
  unacknowledgedForMinutes
})

it.scopedLive("the levels of a policy are paged at their minute, once each, although the process dies between any two", () =>
  Effect.gen(function*() {
    const { eventually, minute, sql, start } = yield* makeStory
    const pages = pagesOf(sql)
    const first = yield* start
    yield* first.does(pagedWorkspace)
    yield* eventually(pages, (all) => all.length === 1)
    yield* minute(9)
    expect(yield* pages).toEqual([page(0, 1, 1)])
    yield* first.dies

    // The second process is there in time for level 2, and the third long before the next round.
    const second = yield* start
    yield* minute(10)
    yield* eventually(pages, (all) => all.length === 2)
    yield* second.dies
    yield* minute(30)
    const third = yield* start
    yield* minute(39)
    expect(yield* pages).toEqual([page(0, 1, 1), page(10, 1, 2)])
    yield* minute(40)
    yield* eventually(pages, (all) => all.length === 3)
    yield* third.dies

    // Nobody is there when the last level is due; it is paged late, and once.
    yield* minute(220.5)
    const fourth = yield* start
    yield* eventually(pages, (all) => all.length === 4)
    yield* minute(300)
    yield* fourth.dies
    expect(yield* pages).toEqual([page(0, 1, 1), page(10, 1, 2), page(40, 2, 1), page(220, 2, 2)])
    const mails = yield* sql`select 1 from mails where recipient = 'person@example.com'`
    expect(mails).toHaveLength(4)
  }))

it.scopedLive("an acknowledgement stops the pages of later processes, and taking it back resumes them", () =>
  Effect.gen(function*() {
    const { eventually, minute, sql, start } = yield* makeStory
    const pages = pagesOf(sql)
    const first = yield* start
    const { incidentId, workspaceId } = yield* first.does(pagedWorkspace)
    yield* eventually(pages, (all) => all.length === 1)
    yield* minute(9)
    yield* first.does(Effect.flatMap(AcknowledgeIncident, (one) => one.acknowledge(callerOf(workspaceId), incidentId)))
    yield* first.dies
    yield* minute(14)
    const second = yield* start
    yield* minute(20)
    yield* second.does(Effect.flatMap(AcknowledgeIncident, (one) => one.unacknowledge(callerOf(workspaceId), incidentId)))
    yield* eventually(pages, (all) => all.length === 2)
    yield* second.dies
    // The time without an acknowledgement starts over.
    expect(yield* pages).toEqual([page(0, 1, 1), page(20, 1, 2, 0)])
  }))

it.scopedLive("the steps of a person are taken at their minute, once each, although the process dies between any two", () =>
  Effect.gen(function*() {
    const { eventually, minute, sql, start } = yield* makeStory
    const mails = Effect.map(
      sql<{ readonly at: Date }>`select created_at as at from mails where recipient = 'person@example.com' order by id`,
      (rows) => rows.map(({ at }) => Math.floor(DateTime.distance(began, DateTime.unsafeFromDate(at)) / 60_000))
    )
    const states = Effect.map(
      sql<{ readonly state: string }>`select state from pagings order by due_at, id`,
      (rows) => rows.map(({ state }) => state)
    )
    const first = yield* start
    const { incidentId, workspaceId } = yield* first.does(Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const person = yield* Effect.flatMap(
        Users,
        (users) => users.ensure(Schema.decodeSync(EmailAddress)("person@example.com"), true, null)
      )
      const id = UserId.make(person.id)
      const members = yield* SqlClient.SqlClient
      yield* members`
        insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${id}, 'member', now())`
      const { update } = yield* ManagePagingRules
      yield* update(callerOf(workspaceId), id, {
        high: [0, 4, 9, 15].map((afterMinutes) => ({ by: "email" as const, afterMinutes }))
      })
      yield* Effect.flatMap(
        ManagePolicies,
        ({ create }) => create(workspaceId, { name: "Platform", levels: [{ afterMinutes: 0, targets: [{ type: "user", id }] }] })
      )
      const { create } = yield* OpenIncident
      const incident = yield* create(workspaceId, { title: "Slow checkout", message: "We look into it.", impact: "major" })
      return { workspaceId, incidentId: incident.id }
    }))
    yield* eventually(mails, (all) => all.length === 1)
    yield* minute(3)
    yield* first.dies

    const second = yield* start
    yield* minute(4)
    yield* eventually(mails, (all) => all.length === 2)
    yield* second.dies

    // Nobody is there when the third step is due; it is taken late, and once.
    yield* minute(11)
    const third = yield* start
    yield* eventually(mails, (all) => all.length === 3)
    yield* minute(14)
    expect(yield* mails).toEqual([0, 4, 11])
    yield* third.does(Effect.flatMap(AcknowledgeIncident, (one) => one.acknowledge(callerOf(workspaceId), incidentId)))
    yield* third.dies
    yield* minute(30)
    const fourth = yield* start
    yield* minute(31)
    yield* fourth.dies
    expect(yield* mails).toEqual([0, 4, 11])
    expect((yield* states).at(-1)).toBe("planned")
  }))

it.scopedLive("reminders come at their marks, from whichever process is there, until someone acknowledges", () =>
  Effect.gen(function*() {
    const { eventually, minute, sql, start } = yield* makeStory
    const reminders = Effect.map(
      eventsOf(sql, "monitor.reminder"),
      (all) =>
        all.map(({ data: { downForMinutes, reminderAfterMinutes }, minute }) => ({
          minute,
          downForMinutes,
          reminderAfterMinutes
        }))
    )
    const first = yield* start
    const { monitorId, workspaceId } = yield* first.does(Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const { create } = yield* ManageMonitors
      const pings = yield* TakePings
      const { id, pingUrl } = yield* create(workspaceId, {
        name: "Backup",
        periodSec: 2_000_000,
        reminderMinutes: [5, 15, 20, 60, 90]
      })
      yield* pings.take(pingUrl?.split("/").at(-1) ?? "", { status: "down" })
      return { workspaceId, monitorId: id }
    }))
    yield* eventually(sql`select 1 from events where type = 'monitor.down'`, (rows) => rows.length === 1)
    yield* minute(4)
    expect(yield* reminders).toEqual([])
    yield* minute(5)
    yield* eventually(reminders, (all) => all.length === 1)
    yield* first.dies

    // Two marks pass while nobody is there: they share one reminder.
    yield* minute(35.5)
    const second = yield* start
    yield* eventually(reminders, (all) => all.length === 2)
    yield* second.dies
    const third = yield* start
    yield* minute(60)
    yield* eventually(reminders, (all) => all.length === 3)
    const [open] = yield* sql<{ readonly id: string }>`select id from incidents where monitor_id = ${monitorId}`
    yield* third.does(
      Effect.flatMap(AcknowledgeIncident, (one) => one.acknowledge(callerOf(workspaceId), IncidentId.make(open?.id ?? "")))
    )
    yield* third.dies
    yield* minute(100)
    const fourth = yield* start
    yield* minute(110)
    yield* fourth.dies
    expect(yield* reminders).toEqual([
      { minute: 5, downForMinutes: 5, reminderAfterMinutes: 5 },
      { minute: 35, downForMinutes: 35, reminderAfterMinutes: 20 },
      { minute: 60, downForMinutes: 60, reminderAfterMinutes: 60 }
    ])
  }))

it.scopedLive("a maintenance window starts and completes at its minutes, although the process dies during it", () =>
  Effect.gen(function*() {
    const { eventually, minute, sql, start } = yield* makeStory
    const minutesOf = (type: string) => Effect.map(eventsOf(sql, type), (all) => all.map(({ minute }) => minute))
    const first = yield* start
    yield* first.does(Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const opening = yield* OpenIncident
      yield* Effect.forEach([["short", 10, 20], ["long", 10, 60]] as const, ([title, from, to]) =>
        opening.schedule(workspaceId, {
          title,
          message: "We upgrade the database.",
          scheduledStart: DateTime.add(began, { minutes: from }),
          scheduledEnd: DateTime.add(began, { minutes: to })
        }))
    }))
    yield* minute(9)
    expect(yield* minutesOf("maintenance.started")).toEqual([])
    yield* minute(10)
    yield* eventually(minutesOf("maintenance.started"), (all) => all.length === 2)
    yield* first.dies
    yield* minute(40)
    const second = yield* start
    yield* eventually(minutesOf("maintenance.completed"), (all) => all.length === 1)
    yield* minute(59)
    expect(yield* minutesOf("maintenance.completed")).toEqual([40])
    yield* second.dies
    const third = yield* start
    yield* minute(60)
    yield* eventually(minutesOf("maintenance.completed"), (all) => all.length === 2)
    yield* third.dies
    expect([yield* minutesOf("maintenance.started"), yield* minutesOf("maintenance.completed")]).toEqual([[10, 10], [40, 60]])
  }))
