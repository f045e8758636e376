/** Four runners page people together, stopped in turns and with clocks that jump: each step is taken once, within the limits of costs. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Random, Redacted } from "effect"
import { fileURLToPath } from "node:url"
import { WorkspaceId } from "../../schema/Ids.ts"
import type { AddedWayKind } from "../../schema/oncall/Way.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { canRunKafka } from "../support/kafka/LocalKafka.ts"
import { until } from "../support/time/Until.ts"
import { newAgent } from "./support/Client.ts"
import { freeze, jump, makeLocalCluster, thaw } from "./support/LocalCluster.ts"
import { addBots, makePagingServices, newPagedPerson } from "./support/PagedPerson.ts"

const personAnHour = 8
const workspaceADay = 71
/** Between two steps of a person, and how long a service keeps its answer back, ms. */
const stepMs = 400
const answerMs = 150
/** Where the clock of a process jumps to and back, ms. */
const jumps = [600_000, -600_000, 0]
const hook = fileURLToPath(new URL("../../infra/chaos/wrongClock.mjs", import.meta.url))
/** Longer than an attempt may take and than the lock of a shard lasts, shorter than the lease of a delivery. */
const longStop = "13 seconds"

const makeSetting = Effect.gen(function*() {
  const services = yield* makePagingServices
  const cluster = yield* makeLocalCluster({ eu: 1 }, {
    runners: 4,
    env: {
      ...services.env,
      NODE_OPTIONS: `--import ${hook}`,
      CLOCK_SKEW_MS: "0",
      CLOCK_JUMPS_MS: jumps.join(),
      BELLTOWER_PHONE_PERSON_AN_HOUR: String(personAnHour),
      BELLTOWER_PHONE_WORKSPACE_A_DAY: String(workspaceADay)
    }
  })
  const address = Redacted.make(cluster.databaseUrl)
  const pool = yield* Layer.build(Database.layer(address, { maxConnections: 3, applicationName: "belltower flow" }))
  const sql = Context.get(pool, SqlClient.SqlClient)
  services.wait(answerMs)

  /** A workspace whose only level pages so many people, each by these ways, a minute apart. */
  const team = Effect.fn("team")(function*(count: number, kinds: ReadonlyArray<AddedWayKind>) {
    const agent = yield* newAgent(cluster.baseUrl)
    const { body: { workspace } } = yield* agent.get("/agent/whoami")
    yield* addBots(agent)
    const people = yield* Effect.forEach(
      Array.from({ length: count }),
      () => newPagedPerson(services, sql, () => cluster.baseUrl, workspace.id, kinds)
    )
    for (const { setRules } of people) yield* setRules(kinds.map((by, index) => ({ by, afterMinutes: index * 10 })))
    yield* agent.post("/escalation-policies", {
      name: "Platform",
      levels: [{ afterMinutes: 600, targets: people.map(({ id }) => ({ type: "user", id })) }]
    })
    const logOf = (id: string) =>
      Effect.orDie(sql<{ readonly state: string; readonly error: string | null }>`
        select state, error from pagings where incident_id = ${id} order by user_id, step`)
    return {
      workspaceId: WorkspaceId.make(workspace.id),
      people,
      logOf,
      open: Effect.fn("open")(function*(title: string) {
        const opened = yield* agent.post("/incidents", { title, message: "We look.", impact: "critical" })
        expect(opened.status).toBe(201)
        return String(opened.body.id)
      }),
      /** The steps follow each other without the minutes between them. */
      hurry: Effect.fn("hurry")(function*(id: string, everyMs = stepMs) {
        yield* until(logOf(id), (pages) => pages.length === count * kinds.length)
        yield* sql`
          update pagings set due_at = now() + (step - 1) * make_interval(secs => ${everyMs / 1000})
          where incident_id = ${id} and state = 'planned'`
        yield* sql`update alarms set due_at = now() where kind = 'incident' and id = ${id}`
        yield* sql`select pg_notify('belltower_alarms', '')`
      }),
      /** How often each page of an incident arrived, by person and way. */
      arrived: (title: string) => people.map(({ pages }) => kinds.map((kind) => pages(kind, title)))
    }
  })
  return { cluster, services, sql, team }
})
type Setting = Effect.Effect.Success<typeof makeSetting>

const once = (people: number, kinds: number) => Array.from({ length: people }, () => Array.from({ length: kinds }, () => 1))

const pagesOnce = Effect.fn("pagesOnce")(function*({ cluster, team }: Setting) {
  const kinds = ["push", "telegram", "sms"] as const
  const { arrived, hurry, logOf, open } = yield* team(10, kinds)
  const settled = (id: string) =>
    until(logOf(id), (pages) => pages.every(({ state }) => state !== "planned" && state !== "sending"), "2 minutes")

  const short = yield* open("Short stops.")
  yield* hurry(short)
  for (let turn = 0; turn < 3; turn++) {
    for (const runner of cluster.runners) {
      yield* freeze(runner)
      yield* Effect.sleep(yield* Random.nextIntBetween(100, 600))
      yield* thaw(runner)
    }
  }
  yield* settled(short)
  expect(arrived("Short stops.")).toEqual(once(10, kinds.length))

  for (const [index, stopped] of [...cluster.runners.map((runner) => [runner]), cluster.runners].entries()) {
    const title = `Long stop ${"abcde"[index]}.`
    const id = yield* open(title)
    yield* hurry(id)
    // In the middle of attempts.
    const half = index === cluster.runners.length ? 0 : index * 6
    yield* until(Effect.sync(() => arrived(title).flat().filter((times) => times > 0).length), (count) => count > half)
    for (const runner of stopped) yield* freeze(runner)
    yield* Effect.sleep(longStop)
    for (const runner of stopped) yield* thaw(runner)
    const pages = yield* settled(id)
    expect([title, arrived(title)]).toEqual([title, once(10, kinds.length)])
    expect(new Set(pages.map(({ state }) => state))).toEqual(new Set(["handed_over"]))
  }
})

const clocksJump = Effect.fn("clocksJump")(function*({ cluster, sql, team }: Setting) {
  const kinds = ["push", "telegram", "sms", "slack"] as const
  const { arrived, hurry, open } = yield* team(3, kinds)
  for (const [index, runner] of cluster.runners.entries()) {
    const title = `Clock jump ${"abcd"[index]}.`
    const id = yield* open(title)
    yield* hurry(id, 1500)
    const early: Array<string> = []
    /** Steps that were taken before their time, by the clock of the database. */
    const watch = Effect.gen(function*() {
      const before = arrived(title)
      const pages = yield* sql<{ readonly step: number }>`
        select distinct step from pagings where incident_id = ${id} and due_at > now()`
      early.push(
        ...pages.filter(({ step }) => before.some((times) => (times[step - 1] ?? 0) > 0)).map(({ step }) => `step ${step}`)
      )
    })
    const watching = yield* Effect.forkScoped(Effect.forever(Effect.delay(watch, "20 millis")))
    for (const _ of jumps) {
      yield* Effect.sleep("1300 millis")
      yield* jump(runner)
    }
    const settledPages = yield* until(
      sql<
        { readonly state: string; readonly kind: string; readonly error: string | null }
      >`select state, kind, error from pagings where incident_id = ${id}`,
      (pages) => pages.every(({ state }) => state === "handed_over"),
      // Well before the ten minutes, on a busy machine.
      "45 seconds"
    )
    yield* Fiber.interrupt(watching)
    expect(settledPages).toHaveLength(3 * kinds.length)
    expect([title, early]).toEqual([title, []])
    expect(arrived(title)).toEqual(once(3, kinds.length))
  }
})

/** So many incidents at the same time page everybody of a team by text first, above a limit. */
const staysWithin = Effect.fn("staysWithin")(function*(
  { services, sql, team }: Setting,
  { incidents, members, name }: { readonly name: string; readonly members: number; readonly incidents: number },
  limit: { readonly key: (workspaceId: string, userId: string) => string; readonly most: number; readonly reason: string }
) {
  const { arrived, logOf, open, people, workspaceId } = yield* team(members, ["sms", "push"])
  const owner = yield* Effect.provideService(signedIn(workspaceId, "owner"), SqlClient.SqlClient, sql)
  yield* sql`update users set email_proved_at = now() where id = ${owner.userId}`
  const titles = Array.from({ length: incidents }, (_, index) => `${name} ${"abcdefghijklmnopqrstuvwxyz"[index]}.`)
  const ids = yield* Effect.forEach(titles, open, { concurrency: "unbounded" })
  const logs = yield* Effect.forEach(ids, (id) =>
    until(
      logOf(id),
      (pages) =>
        pages.length === members * 2 &&
        pages.every(({ state }, index) => state !== "sending" && (index % 2 === 1 || state !== "planned")),
      "2 minutes"
    ).pipe(Effect.zipRight(until(
      logOf(id),
      // Whoever got no text got a push, and nobody else.
      (pages) =>
        pages.every(({ state }, index) =>
          index % 2 === 0 || state === (pages[index - 1]?.state === "failed" ? "handed_over" : "planned")
        ),
      "2 minutes"
    ))))
  for (const title of titles) expect(arrived(title).every(([text = 0, push = 0]) => text + push === 1)).toBe(true)
  const refused = logs.flat().flatMap(({ error }) => (error === null ? [] : [error]))
  expect(new Set(refused)).toContain(limit.reason)

  // What went out, with the codes, is what was counted, and no window has more than the limit.
  const numbers = people.map(({ phone }) => services.twilio.ordersTo(phone).length)
  const keys = [...new Set(people.map(({ id }) => limit.key(workspaceId, id)))]
  const counts = yield* sql<{ readonly count: number }>`select count from rate_limits where key = any(${keys})`
  const sent = numbers.reduce((sum, count) => sum + count, 0)
  expect(counts.every(({ count }) => count <= limit.most)).toBe(true)
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(sent)
  expect(sent).toBeGreaterThanOrEqual(limit.most)
  const mailed = yield* sql`select from mails where workspace_id = ${workspaceId} and recipient = ${owner.email}`
  // Once a day.
  expect(mailed.length).toBeGreaterThan(0)
  expect(mailed).toHaveLength((yield* sql`select from rate_limits where key = ${`phone-told:${workspaceId}`}`).length)
  console.log(`${name}: ${sent} texts of ${members * incidents + members} went out, ${refused.length} were refused`)
})

describe.skipIf(!(await canRunKafka()))("four runners", () => {
  it.scopedLive(
    "take each step once and in time, whoever stands still or has a wrong clock, and stay within the limits of costs",
    () =>
      Effect.gen(function*() {
        const setting = yield* makeSetting
        yield* clocksJump(setting)
        yield* pagesOnce(setting)
        yield* staysWithin(setting, { name: "One person", members: 1, incidents: 20 }, {
          key: (workspaceId, userId) => `phone-person:${workspaceId} ${userId}`,
          most: personAnHour,
          reason: `The limit of ${personAnHour} texts and calls an hour to one person is reached`
        })
        yield* staysWithin(setting, { name: "A workspace", members: 11, incidents: 7 }, {
          key: (workspaceId) => `phone-workspace:${workspaceId}`,
          most: workspaceADay,
          reason: `The limit of ${workspaceADay} texts and calls a day of this workspace is reached`
        })
      }).pipe(Effect.withRandom(Random.make("stops"))),
    600_000
  )
})
