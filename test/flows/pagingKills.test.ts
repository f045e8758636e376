/** A program that is killed with -9 between and during the steps of pages: none is lost, and only what a service had twice is doubled. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import type { AddedWayKind } from "../../schema/oncall/Way.ts"
import { until } from "../support/time/Until.ts"
import { clientOf, newAgent } from "./support/Client.ts"
import { makeKillStage } from "./support/KillStage.ts"
import { addBots, makePagingServices, newPagedPerson } from "./support/PagedPerson.ts"

const kinds = ["push", "slack", "telegram", "discord", "sms", "voice"] as const satisfies ReadonlyArray<AddedWayKind>

/** Another seed tries other moments. */
const seed = process.env["BELLTOWER_FLOW_SEED"] ?? "1"
const rounds = Number(process.env["BELLTOWER_FLOW_ROUNDS"] ?? "6")
/** Ways whose service drops a page that it has, or says that it has it. */
const recognized: ReadonlySet<AddedWayKind> = new Set(["slack", "discord", "sms"])
/** Incidents of a round, so that a kill falls into several steps. */
const incidents = ["a", "b", "c"]
/** Between two steps of a person, and how long a service keeps its answer back, ms. */
const stepMs = 400
const answerMs = 150

interface Page {
  readonly title: string
  readonly by: AddedWayKind
  readonly state: string
}

describe("pages by all ways, of a program that is killed with -9 at any moment", () => {
  it.scopedLive(
    "arrive once, or twice where a service without idempotency had the page already; none is lost",
    () =>
      Effect.gen(function*() {
        const services = yield* makePagingServices
        const stage = yield* makeKillStage(services.env)
        const { sql } = stage
        let program = yield* stage.start
        const { apiKey } = yield* newAgent(program.baseUrl)
        const agent = () => clientOf(program.baseUrl, apiKey)
        const { body: { workspace } } = yield* agent().get("/agent/whoami")
        yield* addBots(agent())
        const ada = yield* newPagedPerson(services, sql, () => program.baseUrl, workspace.id, kinds)
        yield* ada.setRules(kinds.map((by, index) => ({ by, afterMinutes: index })))
        yield* agent().post("/escalation-policies", {
          name: "Platform",
          levels: [{ afterMinutes: 60, targets: [{ type: "user", id: ada.id }] }]
        })

        /** Pages in the order of their steps. Of a page over which a process died, the log has the state of its delivery. */
        const logOf = (ids: ReadonlyArray<string>) =>
          Effect.orDie(sql<Page & { readonly isHeld: boolean }>`
            select i.title, p.kind as by, coalesce(d.status = 'due', p.state <> 'planned') as "isHeld",
                   case when p.state = 'sending' and d.status = 'delivered' then 'handed_over' else p.state end as state
            from pagings p join incidents i on i.id = p.incident_id
            left join deliveries d on d.event_id = p.event_id and d.channel_id = p.way_id
            where p.incident_id = any(${ids}::text[]) order by i.title, p.step`)

        /** Opens an incident whose steps follow each other without the minutes between them. */
        const open = Effect.fnUntraced(function*(title: string) {
          const opened = yield* agent().post("/incidents", { title, message: "We look.", impact: "critical" })
          const id = String(opened.body.id)
          yield* until(logOf([id]), (pages) => pages.length === kinds.length)
          yield* sql`
            update pagings set due_at = now() + (step - 1) * make_interval(secs => ${stepMs / 1000})
            where incident_id = ${id} and state = 'planned'`
          yield* sql`update alarms set due_at = now() where kind = 'incident' and id = ${id}`
          yield* sql`select pg_notify('belltower_alarms', '')`
          return id
        })

        /** Everything that a dead process holds is free, as after its lease. */
        const takeOver = Effect.all([
          sql`update alarms set due_at = now() where kind = 'incident' and due_at between now() and now() + interval '31 seconds'`,
          sql`
          update delivery_queues
          set held_until = case when held_until is null then null else now() end,
              first_at = case when first_at < 'infinity' then now() else first_at end,
              retry_at = case when retry_at < 'infinity' then now() else retry_at end`,
          sql`update deliveries set due_at = now() where status = 'due'`,
          sql`update delivery_turns set ready_at = now()`,
          sql`select pg_notify('belltower_deliveries', ''), pg_notify('belltower_alarms', '')`
        ], { discard: true })

        services.wait(answerMs)
        const doubled: Array<string> = []
        for (let round = 0; round < rounds; round++) {
          const titles = incidents.map((name) => `Round ${"abcdefghijklmnopqrstuvwxyz"[round]} ${name}.`)
          const ids = yield* Effect.forEach(titles, open, { concurrency: "unbounded" })
          yield* Effect.sleep(yield* Random.nextIntBetween(0, kinds.length * stepMs))
          yield* program.signal("SIGKILL")
          yield* program.ended
          // What the services had of its requests, they have taken.
          yield* Effect.sleep("200 millis")
          const atKill = (yield* logOf(ids)).map((page) => ({ ...page, had: ada.pages(page.by, page.title) }))
          program = yield* stage.start
          yield* takeOver
          // A failure shows what is still to be sent, and nothing else.
          yield* until(
            Effect.map(logOf(ids), (pages) => pages.filter(({ state }) => state === "planned" || state === "sending")),
            (pages) => pages.length === 0
          )
          const after = yield* logOf(ids)
          const shown = yield* Effect.forEach(ids, (id) => agent().get(`/incidents/${id}/pagings`))
          expect(shown.flatMap(({ body }) => body.data.map(({ state }: Page) => state))).toEqual(after.map(() => "handed_over"))
          // The log said nothing of those that are asked for again, though the service had them.
          const expected = atKill.map(({ by, had, isHeld, title }) => ({
            title,
            by,
            times: had > 0 && isHeld && !recognized.has(by) ? 2 : 1
          }))
          expect(after.map(({ by, title }) => ({ title, by, times: ada.pages(by, title) }))).toEqual(expected)
          doubled.push(...expected.filter(({ times }) => times === 2).map(({ by }) => by))
        }
        console.log(
          `Seed ${seed}: ${rounds} kills, ${rounds * incidents.length * kinds.length} pages, doubled: ${doubled.join(", ")}`
        )
        const twice = services.slack.asked.filter(({ method }) => method === "chat.postMessage").length -
          services.slack.posted.length
        console.log(`Slack was asked again for ${twice} pages, and posted them once`)
      }).pipe(Effect.withRandom(Random.make(seed))),
    300_000
  )
})
