/**
 * A program that stands still (SIGSTOP) in the middle of pages, and another that takes them over: no page is doubled that a service can
 * tell.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AddedWayKind } from "../../schema/oncall/Way.ts"
import { until } from "../support/time/Until.ts"
import { clientOf, newAgent } from "./support/Client.ts"
import { makeKillStage } from "./support/KillStage.ts"
import { addBots, makePagingServices, newPagedPerson } from "./support/PagedPerson.ts"

const kinds = ["push", "slack", "telegram", "sms", "voice"] as const satisfies ReadonlyArray<AddedWayKind>

/** Longer than an attempt may wait for the database. A stop that outlives a lease is longer, and here the leases end early. */
const stop = "2500 millis"
/** How long a service keeps its answer back once it has a page, ms. */
const answerMs = 3000

const makeSetting = Effect.gen(function*() {
  const services = yield* makePagingServices
  const stage = yield* makeKillStage(services.env)
  const { sql } = stage
  const first = yield* stage.start
  const { apiKey } = yield* newAgent(first.baseUrl)
  const agent = clientOf(first.baseUrl, apiKey)
  const { body: { workspace } } = yield* agent.get("/agent/whoami")
  yield* addBots(agent)
  const ada = yield* newPagedPerson(services, sql, () => first.baseUrl, workspace.id, kinds)
  yield* ada.setRules(kinds.map((by) => ({ by, afterMinutes: 0 })))
  yield* agent.post("/escalation-policies", {
    name: "Platform",
    levels: [{ afterMinutes: 60, targets: [{ type: "user", id: ada.id }] }]
  })
  const logOf = (title: string) =>
    Effect.orDie(sql<{ readonly by: AddedWayKind; readonly state: string }>`
      select p.kind as by, p.state from pagings p join incidents i on i.id = p.incident_id where i.title = ${title}`)
  return {
    services,
    stage,
    first,
    open: (title: string) => agent.post("/incidents", { title, message: "We look.", impact: "critical" }),
    /** How often each way has a page. */
    had: (title: string) => Object.fromEntries(kinds.map((by) => [by, ada.pages(by, title)])),
    /** Everything that the other program holds is free, as after its lease. */
    endLeases: Effect.all([
      sql`update delivery_queues set held_until = now() where held_until is not null`,
      sql`update deliveries set due_at = now() where status = 'due'`,
      sql`
      update delivery_queues q set first_at = now()
      where exists (select from deliveries d where d.channel_id = q.channel_id and d.status = 'due')`,
      sql`update delivery_turns set ready_at = now()`,
      sql`select pg_notify('belltower_deliveries', '')`
    ], { discard: true }),
    handedOver: (title: string) =>
      until(
        logOf(title),
        (pages) => pages.length === kinds.length && pages.every(({ state }) => state === "handed_over"),
        "60 seconds"
      )
  }
})

const all = (times: number) => Object.fromEntries(kinds.map((by) => [by, times]))

describe("a program that stands still for longer than its leases", () => {
  it.scopedLive("sends nothing that another has taken over, wherever it stood", () =>
    Effect.gen(function*() {
      const { endLeases, first, had, handedOver, open, services, stage } = yield* makeSetting
      const { sql } = stage
      const second = yield* stage.start
      const stopped = yield* Effect.acquireRelease(Effect.succeed(first), (one) => one.signal("SIGCONT"))

      // Between the begin of an attempt, which the database has, and its request. Only one of both programs can be meant.
      yield* Effect.scoped(Effect.gen(function*() {
        yield* second.signal("SIGSTOP")
        const gate = yield* sql.reserve
        yield* gate.execute("select pg_advisory_lock(4711)", [], undefined)
        yield* sql`
          create trigger hold before update of begun on deliveries for each row when (new.begun > old.begun)
          execute function hold()`
        yield* open("Before the request.")
        yield* until(
          sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`,
          (held) => held.length === kinds.length
        )
        yield* stopped.signal("SIGSTOP")
        yield* gate.execute("select pg_advisory_unlock(4711)", [], undefined)
        yield* until(sql`select from deliveries where status = 'due' and begun = 1`, (begun) => begun.length === kinds.length)
        yield* second.signal("SIGCONT")
      }))
      yield* sql`drop trigger hold on deliveries`
      expect(had("Before the request.")).toEqual(all(0))
      yield* endLeases
      yield* handedOver("Before the request.")
      expect(had("Before the request.")).toEqual(all(1))
      yield* Effect.sleep(stop)
      yield* stopped.signal("SIGCONT")
      // It has noticed that it stood still: it serves again, and its next page is a new one.
      yield* open("After it.")
      yield* handedOver("After it.")
      expect([had("Before the request."), had("After it.")]).toEqual([all(1), all(1)])

      // While its requests are open.
      services.wait(answerMs)
      yield* second.signal("SIGSTOP")
      yield* open("Open requests.")
      yield* until(Effect.sync(() => had("Open requests.")), (now) => Object.values(now).every((times) => times === 1))
      yield* stopped.signal("SIGSTOP")
      yield* second.signal("SIGCONT")
      yield* endLeases
      services.wait(0)
      yield* handedOver("Open requests.")
      yield* stopped.signal("SIGCONT")
      yield* open("At last.")
      yield* handedOver("At last.")
      // Slack drops the second, Twilio says that it has the text, and a device shows one notification of a tag.
      expect(had("Open requests.")).toEqual({ push: 2, slack: 1, telegram: 2, sms: 1, voice: 2 })
      const tags = services.push.seen.filter(({ data }) => data.includes("Open requests.")).map(({ data }) =>
        JSON.parse(data).tag
      )
      expect([tags.length, new Set(tags).size]).toEqual([2, 1])
    }), 240_000)
})
