/** Pages, reminders, maintenance and drills across processes that are killed with -9 at any point. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { answering, receiver } from "../notify/alert/Receiver.ts"
import { letPass, newStoryDatabase } from "../support/database/StoryDatabase.ts"
import { until } from "../support/time/Until.ts"
import { clientOf, type Json, newAgent, request } from "./support/Client.ts"
import { makeKillStage } from "./support/KillStage.ts"

const recorded = (type: string) => ({ statement: "insert", table: "events", when: `new.type = '${type}'` })

describe("a process that is killed with -9", () => {
  it.scopedLive(
    "loses and doubles no page, no reminder and no step of a maintenance window, whenever it dies",
    () =>
      Effect.gen(function*() {
        const { killAt, sql, start } = yield* makeKillStage({}, newStoryDatabase)
        const [chat, pager] = [yield* receiver(answering(204)), yield* receiver(answering(204))]
        let program = yield* start
        const { apiKey } = yield* newAgent(program.baseUrl)
        const client = () => clientOf(program.baseUrl, apiKey)
        const restart = Effect.gen(function*() {
          program = yield* start
        })
        const die = Effect.zipRight(program.signal("SIGKILL"), program.ended)

        const channel = (name: string, url: string) =>
          Effect.map(
            client().post("/channels", { name, type: "webhook", url, events: ["monitor.reminder"] }),
            ({ body }) => body.id as string
          )
        const ids = [yield* channel("chat", chat.url), yield* channel("pager", pager.url)]
        const level = (afterMinutes: number, id: string | undefined) => ({ afterMinutes, targets: [{ type: "channel", id }] })
        const policy = { name: "Platform", levels: [level(0, ids[0]), level(10, ids[1])] }
        expect((yield* client().post("/escalation-policies", policy)).status).toBe(201)
        const monitor = yield* client().post("/monitors", {
          name: "Backup",
          periodSec: 2_000_000,
          channelIds: [ids[0]],
          reminderMinutes: [5, 15]
        })
        const now = yield* DateTime.now
        const inMinutes = (minutes: number) => DateTime.formatIso(DateTime.add(now, { minutes }))
        const window = { title: "Upgrade", message: "Soon.", scheduledStart: inMinutes(20), scheduledEnd: inMinutes(30) }
        expect((yield* client().post("/maintenance", window)).status).toBe(201)

        const counts = Effect.map(
          sql<{ readonly type: string; readonly detail: string | null }>`
          select type, coalesce(data ->> 'level', data ->> 'reminderAfterMinutes') as detail from events
          where type in ('incident.escalated', 'monitor.reminder', 'maintenance.started', 'maintenance.completed')
          order by at, id`,
          (rows) => rows.map(({ detail, type }) => detail === null ? type : `${type} ${detail}`)
        )
        const has = (what: string) => until(counts, (all) => all.includes(what))

        yield* request(monitor.body.failUrl, { method: "POST" })
        yield* has("incident.escalated 1")
        // Between level 1 and the reminder, whose time passes while nobody is there.
        yield* die
        yield* letPass(sql, 6)
        yield* restart
        yield* has("monitor.reminder 5")
        // While level 2 is paged: the page is written and not committed.
        yield* killAt(program, recorded("incident.escalated"), 1, letPass(sql, 5))
        yield* restart
        yield* has("incident.escalated 2")
        yield* killAt(program, recorded("monitor.reminder"), 1, letPass(sql, 5))
        yield* restart
        yield* has("monitor.reminder 15")
        yield* killAt(program, recorded("maintenance.started"), 1, letPass(sql, 5))
        yield* restart
        yield* has("maintenance.started")
        // During maintenance.
        yield* Effect.zipRight(program.signal("SIGKILL"), program.ended)
        yield* letPass(sql, 30)
        yield* restart
        yield* has("maintenance.completed")
        yield* letPass(sql, 600)
        yield* until(sql`select 1 from alarms where kind = 'incident'`, (rows) => rows.length === 0)
        expect(yield* counts).toEqual([
          "incident.escalated 1",
          "monitor.reminder 5",
          "incident.escalated 2",
          "monitor.reminder 15",
          "maintenance.started",
          "maintenance.completed"
        ])

        // What was sent twice, because its result was not stored, is the same message.
        const heard = (hook: typeof chat) =>
          [...new Map(hook.seen.map(({ body, headers }): [unknown, Json] => [headers["webhook-id"], JSON.parse(body)])).values()]
            .map(({ data, type }) => `${type} ${data.level ?? data.reminderAfterMinutes}`)
        yield* until(sql`select 1 from deliveries where status = 'due'`, (rows) => rows.length === 0)
        expect([heard(chat), heard(pager)]).toEqual([
          ["incident.escalated 1", "monitor.reminder 5", "monitor.reminder 15"],
          ["incident.escalated 2"]
        ])
      }),
    180_000
  )

  it.scopedLive(
    "in any stage of a drill leaves it to the next process, which brings it to its end",
    () =>
      Effect.gen(function*() {
        const { killWhen, sql, start } = yield* makeKillStage()
        const hook = yield* receiver(answering(204))
        let apiKey = ""
        const begun = Effect.gen(function*() {
          const program = yield* start
          const agent = yield* newAgent(program.baseUrl)
          apiKey = agent.apiKey
          yield* agent.post("/channels", { name: "Team", type: "webhook", url: hook.url })
          yield* Effect.forkScoped(Effect.exit(agent.post("/drills", {})))
          return program
        })
        const points = [
          // Begun, and nothing done yet.
          { statement: "update", table: "drills" },
          // Reported down, before it is detected.
          recorded("monitor.down"),
          // Detected, before anybody is alerted.
          { statement: "insert", table: "deliveries" },
          // Alerted, before it is acknowledged.
          recorded("incident.acknowledged"),
          // Acknowledged, before it has recovered.
          recorded("monitor.up"),
          // All clear, before its receipt is complete.
          { statement: "update", table: "drills", when: "new.finished_at is not null" }
        ]
        const reached: Array<number> = []
        for (const [index, point] of points.entries()) {
          yield* Effect.scoped(killWhen(point, 1, index === 0 ? begun : start))
          // The lease of the process that died is over.
          yield* sql`update drills set due_at = now()`
          yield* sql`update deliveries set due_at = now() where status = 'due'`
          yield* sql`update delivery_queues set held_until = null, first_at = now() where held_until is not null`
          yield* sql`update delivery_turns set ready_at = now()`
          const [drill] = yield* sql<{ readonly stages: ReadonlyArray<unknown> }>`select stages from drills`
          reached.push(drill?.stages.length ?? -1)
        }
        // Each process died further on than the one before.
        expect(reached).toEqual([...reached].sort((one, other) => one - other))
        const program = yield* start
        const [row] = yield* sql<{ readonly id: string }>`select id from drills`
        const { body } = yield* until(
          clientOf(program.baseUrl, apiKey).get(`/drills/${row?.id}`),
          ({ body }) => body.status !== "running"
        )
        expect(body).toMatchObject({ status: "passed", error: null })
        expect(body.stages.map(({ stage }: Json) => stage))
          .toEqual(["detection", "alert", "acknowledgement", "recovery", "all_clear"])
        expect(yield* sql`select 1 from monitors`).toEqual([])
        const types = yield* sql<{ readonly type: string; readonly count: number }>`
        select type, count(*)::int as count from events where type like 'monitor.%' or type like 'incident.%' group by type`
        expect(types.every(({ count }) => count === 1)).toBe(true)
      }),
    180_000
  )
})
