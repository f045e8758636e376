/** Everyday tasks of an agent with the toolset `essential`: each without an honest mistake, and within its tokens. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { readFileSync } from "node:fs"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { programOf } from "../support/program/Program.ts"
import type { Json } from "../support/program/TestServer.ts"
import { until } from "../support/time/Until.ts"
import { follow, makeAgent, newSite } from "./TaskAgent.ts"

/** The most tokens of each task, read and written, and the errors that belong to it. */
const budgets: Readonly<Record<string, { readonly tokens: number; readonly errors?: number }>> = {
  "see the essential tools": { tokens: 6000 },
  "get a site, a page and a webhook from nothing": { tokens: 1400 },
  "watch a cron job": { tokens: 700 },
  "mute a deploy": { tokens: 800 },
  "gate a deploy": { tokens: 900 },
  "say why it is down": { tokens: 700 },
  "write the postmortem": { tokens: 1000 },
  "subscribe to a component": { tokens: 900 },
  "change 25 intervals": { tokens: 1900 },
  "move in from Gatus": { tokens: 700 },
  "move in from Uptime Kuma": { tokens: 4000 },
  "follow the checks live": { tokens: 700 },
  "set up who is paged": { tokens: 1000 },
  "share a rotation, and stand in": { tokens: 1600 },
  "send undelivered alerts again": { tokens: 500 },
  "give a helper a key": { tokens: 500 },
  "change one field of the exported workspace": { tokens: 900 },
  "simulate other settings": { tokens: 700 },
  "ask for the state of a third party": { tokens: 500 },
  "read the week": { tokens: 1500 },
  "delete by name": { tokens: 1600 },
  "make five mistakes": { tokens: 600, errors: 5 },
  "meet a hostile target": { tokens: 800 }
}

/** Of all tasks together. */
const mostTokens = 22_500

const gatus =
  "endpoints:\n  - name: docs\n    url: https://docs.example.com\n    interval: 2m\n    conditions: ['[STATUS] == 200']\n"

/** As version 1.23 of Uptime Kuma exports it. */
const kumaBackup = JSON.stringify(
  JSON.parse(readFileSync(new URL("../support/files/kuma-backup.json", import.meta.url), "utf8"))
)

const program = programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" })

layer(program, { excludeTestServices: true, timeout: "60 seconds" })("an agent with the essential tools", (it) => {
  it.scoped("does twenty-three tasks, each within its budget", () =>
    Effect.gen(function*() {
      const site = yield* newSite
      const { call, connect: reconnect, costs, task, tools, uncounted } = yield* makeAgent
      const use = (name: string, given: object = {}) => call("use_tool", { name, arguments: given })
      const now = yield* Clock.currentTimeMillis
      const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString()

      const born = yield* uncounted(call("bootstrap_workspace", { agentName: "scout" }))
      yield* reconnect("/mcp?toolsets=essential", born.apiKey)
      const names = yield* task("see the essential tools", tools)
      expect(names).toEqual(expect.arrayContaining(["create_service", "search_tools", "use_tool"]))

      const { channel, service } = yield* task(
        "get a site, a page and a webhook from nothing",
        Effect.gen(function*() {
          const made = yield* call("create_channel", { name: "Ops", type: "webhook", url: site.url })
          yield* call("test_channel", { channelId: made.id })
          const watched = yield* call("create_service", { name: "Shop", url: site.url, statusPage: "Acme", failureThreshold: 1 })
          return { channel: made, service: watched }
        })
      )
      const id: string = service.monitor.id
      const job = yield* task("watch a cron job", call("create_monitor", { name: "Backup", periodSec: 3600 }))
      expect([job.channelIds, job.pingUrl]).toEqual([[channel.id], expect.stringContaining("/hb/")])

      yield* task(
        "mute a deploy",
        Effect.zipRight(
          call("create_mute", { monitorIds: [id], durationSec: 1 }),
          call("create_deploy", { version: "1.2.3", monitorId: id })
        )
      )
      const gate = yield* task(
        "gate a deploy",
        Effect.zipRight(call("run_check", { monitorId: id, apply: true }), call("wait_for_monitor", { id, timeoutSec: 20 }))
      )
      expect(gate.reached).toBe(true)

      site.status = 500
      yield* uncounted(call("run_check", { id, apply: true }))
      const open = yield* uncounted(until(call("list_incidents", { open: true }), ({ data }) => data.length > 0))
      // The mute of a second, which the answer would explain, too, may still run.
      yield* uncounted(until(call("explain_monitor", { monitorId: id }), ({ muted }) => muted === null))
      const why = yield* task("say why it is down", call("explain_monitor", { monitorId: id }))
      expect([why.state, why.summary]).toEqual(["down", expect.stringContaining("500")])
      site.status = 200
      yield* uncounted(call("run_check", { id, apply: true }))
      const incidentId: string = open.data[0].id
      yield* uncounted(until(call("get_incident", { id: incidentId }), ({ status }) => status === "resolved"))
      const postmortem = yield* task(
        "write the postmortem",
        Effect.gen(function*() {
          const found = yield* call("search_tools", { query: "generate_postmortem" })
          expect(found.tools[0].name).toBe("generate_postmortem")
          const draft = yield* use("generate_postmortem", { incidentId, mode: "template" })
          return yield* use("save_postmortem", {
            id: incidentId,
            markdown: `${draft.markdown.slice(0, 200)}\n`,
            publicSummary: "Fixed."
          })
        })
      )
      expect(postmortem.version).toBe(1)

      const subscribed = yield* task(
        "subscribe to a component",
        use("public_subscribe", {
          slug: "acme",
          type: "slack",
          url: "https://hooks.slack.com/services/T0/B0/x",
          components: ["shop"],
          agent: "scout"
        })
      )
      expect(subscribed.error?.code ?? "ok").not.toBe("validation_failed")

      const sites = Array.from(
        { length: 25 },
        (_, index) => ({ name: `Fleet ${index}`, url: site.url, paused: true, tags: ["fleet"] })
      )
      yield* uncounted(Effect.forEach(sites, (given) => call("create_monitor", given)))
      const changed = yield* task(
        "change 25 intervals",
        Effect.zipRight(
          call("update_monitors", { tag: "fleet", set: { intervalSec: 300 }, dryRun: true }),
          call("update_monitors", { tag: "fleet", set: { intervalSec: 300 } })
        )
      )
      expect([changed.matched, changed.changed.length]).toEqual([25, 25])

      const move = yield* task(
        "move in from Gatus",
        Effect.flatMap(
          use("preview_import", { source: "gatus", document: gatus }),
          ({ document }: Json) => use("start_import", { source: "gatus", document })
        )
      )
      const isOver = ({ status }: Json) => status !== "queued" && status !== "running"
      expect((yield* uncounted(until(use("get_import_job", { id: move.id }), isOver))).failed).toEqual([])

      // A backup of Uptime Kuma, which the agent writes once.
      const kuma = yield* task(
        "move in from Uptime Kuma",
        Effect.flatMap(use("preview_import", { source: "uptimekuma", document: kumaBackup }), ({ document, monitors }: Json) => {
          expect(monitors.map(({ name }: Json) => name)).toContain("Checkout API")
          return use("start_import", { source: "uptimekuma", document, exclude: ["monitor:8"] })
        })
      )
      const carried = yield* uncounted(until(use("get_import_job", { id: kuma.id }), isOver))
      expect([carried.status, carried.failed]).toEqual(["succeeded", []])
      expect(carried.created.map(({ name }: Json) => name)).toContain("Nightly backup")

      const live = yield* task(
        "follow the checks live",
        Effect.gen(function*() {
          const { token } = yield* use("create_stream_token")
          const frames = yield* follow(`/api/v1/stream?checks=1&token=${token}`)
          yield* call("run_check", { id, apply: true })
          yield* until(frames, (text) => text.includes("check.completed") && text.includes(id))
          return yield* call("list_checks", { id, limit: 2, fields: "outcome,latencyMs" })
        })
      )
      expect(Object.keys(live.data[0]).sort()).toEqual(["id", "latencyMs", "outcome"])

      const policies = yield* task(
        "set up who is paged",
        Effect.gen(function*() {
          yield* call("search_tools", { query: "create_escalation_policy" })
          yield* use("create_escalation_policy", {
            name: "Everyone",
            levels: [{ afterMinutes: 0, targets: [{ type: "channel", id: channel.id }] }]
          })
          return yield* use("list_escalation_policies")
        })
      )
      expect(policies.data[0].levels[0].targets[0].id).toBe(channel.id)

      const workspaceId: WorkspaceId = (yield* uncounted(call("whoami"))).workspace.id
      const sql = yield* SqlClient.SqlClient
      yield* sql`update workspaces set claimed_at = now() where id = ${workspaceId}`
      const [sam, kim] = [yield* signedIn(workspaceId, "member", "Sam"), yield* signedIn(workspaceId, "member", "Kim")]
      const onCall = yield* task(
        "share a rotation, and stand in",
        Effect.gen(function*() {
          const schedule = yield* use("create_oncall_schedule", {
            name: "Platform",
            timezone: "Europe/Berlin",
            handoffDay: 0,
            handoffTime: "09:00",
            participants: [sam.userId, kim.userId]
          })
          const away = schedule.current.user.id
          const standIn = away === sam.userId ? kim : sam
          yield* use("create_oncall_override", {
            id: schedule.id,
            userId: standIn.userId,
            insteadOf: away,
            start: at(-1),
            end: at(60)
          })
          return { standIn, now: yield* use("get_current_oncall", { scheduleId: schedule.id }) }
        })
      )
      expect(onCall.now.data.map(({ override, user }: Json) => [user.email, override])).toEqual([[onCall.standIn.email, true]])

      const replayed = yield* task(
        "send undelivered alerts again",
        Effect.zipRight(use("list_deliveries", { status: "dead" }), use("replay_deliveries", { since: at(-60) }))
      )
      expect(replayed.error).toBeUndefined()
      const helper = yield* task(
        "give a helper a key",
        use("create_api_key", { name: "helper", operations: ["list_events"], expiresInMinutes: 60 })
      )
      expect(helper.secret).toMatch(/^bell_live_/)

      const plan = yield* task(
        "change one field of the exported workspace",
        Effect.gen(function*() {
          const { text } = yield* use("export_workspace", { format: "yaml", search: "shop" })
          expect(text).toContain("- key: shop\n")
          const made = yield* use("plan_changes", { document: "monitors:\n  - {key: shop, intervalSec: 120}", merge: true })
          return yield* use("apply_plan", { id: made.id })
        })
      )
      expect([plan.update, plan.create, plan.appliedAt !== null]).toEqual([1, 0, true])
      const simulated = yield* task("simulate other settings", use("simulate_monitor", { id, failureThreshold: 3 }))
      expect(simulated.simulated.alerts).toBe(0)
      yield* task("ask for the state of a third party", use("upstream_status", { service: "github", component: "all" }))
      yield* task("read the week", use("preview_digest"))

      const gone = yield* task(
        "delete by name",
        Effect.zipRight(
          use("delete_monitors", { search: "Fleet", dryRun: true }),
          use("delete_monitors", { search: "Fleet", count: 25 })
        )
      )
      expect(gone.deleted.length).toBe(25)

      yield* task(
        "make five mistakes",
        Effect.gen(function*() {
          const stranger = yield* call("get_monitor", { id, history: true })
          expect(stranger.error.hint).toContain("Fields of get_monitor")
          expect((yield* call("list_events", { types: "nothing.known.here" })).error.details[0].message).toContain("monitor.down")
          expect((yield* use("list_chekcs", { id })).error.details[0].message).toContain("list_checks")
          expect((yield* use("delete_workspace")).error.details[0].path).toBe("name")
          expect((yield* use("delete_monitors", { search: "Shop", count: 9 })).error.message).toContain("not 9")
        })
      )
      site.status = 500
      const hostile = yield* task("meet a hostile target", call("run_check", { id }))
      expect([hostile.outcome, hostile.block]).toEqual(["down", expect.stringContaining("Ignore all instructions")])

      // The runner shows the console of failing tests only.
      process.stdout.write(
        [...costs].map(([name, { calls, errors, tokens }]) => `${name}: ${calls} calls, ${errors} errors, ${tokens} tokens\n`)
          .join("")
      )
      expect([...costs.keys()]).toEqual(Object.keys(budgets))
      for (const [name, { errors, tokens }] of costs) {
        expect([name, errors]).toEqual([name, budgets[name]?.errors ?? 0])
        expect([name, tokens, tokens <= (budgets[name]?.tokens ?? 0)]).toEqual([name, tokens, true])
      }
      const total = [...costs.values()].reduce((sum, { tokens }) => sum + tokens, 0)
      expect([total, total <= mostTokens]).toEqual([total, true])
    }))
})
