/** Guards against harm by an agent: creating what it has, and deleting more than it knows of. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { programOf } from "../support/program/Program.ts"
import { callJson, type Json } from "../support/program/TestServer.ts"
import { until } from "../support/time/Until.ts"
import { makeAgent, newSite } from "./TaskAgent.ts"

const program = programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" })

layer(program, { excludeTestServices: true, timeout: "60 seconds" })("an agent", (it) => {
  it.scoped("that begins again learns of each thing which one it repeats", () =>
    Effect.gen(function*() {
      const { url } = yield* newSite
      const { call, connect } = yield* makeAgent
      const born = yield* call("bootstrap_workspace", { agentName: "scout" })
      yield* connect("/mcp", born.apiKey)
      const page = yield* call("create_page", { name: "Acme" })
      const levels = (id: string) => [{ afterMinutes: 0, targets: [{ type: "channel", id }] }]
      const channel = yield* call("create_channel", { name: "Ops", type: "webhook", url })
      const things: ReadonlyArray<readonly [tool: string, input: Record<string, unknown>]> = [
        ["create_monitor", { name: "Shop", url }],
        ["create_monitor", { name: "Port", kind: "tcp", host: "127.0.0.1", port: 443 }],
        ["create_monitor", { name: "Backup", kind: "heartbeat", periodSec: 3600 }],
        ["create_component", { pageId: page.id, name: "Shop" }],

        ["create_escalation_policy", { name: "Ops", levels: levels(channel.id) }],
        ["create_incident_template", { name: "Slow", title: "Slow", body: "We look." }]
      ]
      expect([page.warnings, channel.warnings]).toEqual([undefined, undefined])
      expect((yield* call("create_page", { name: "acme" })).warnings[0]).toContain(page.id)
      expect((yield* call("create_channel", { name: "Ops 2", type: "webhook", url })).warnings[0]).toContain(channel.id)
      for (const [tool, input] of things) {
        const first = yield* call(tool, input)
        expect([tool, first.error, (first.warnings ?? []).filter((text: string) => text.includes("use "))]).toEqual([
          tool,
          undefined,
          []
        ])
        const again = yield* call(tool, input)
        expect([tool, again.warnings.at(-1)]).toEqual([tool, expect.stringContaining(first.id)])
      }
      // Another port is another thing.
      const other = yield* call("create_monitor", { name: "Port", kind: "tcp", host: "127.0.0.1", port: 80 })
      expect(other.warnings).toBe(undefined)
    }))

  it.scoped("deletes more than ten things only with their count", () =>
    Effect.gen(function*() {
      const { url } = yield* newSite
      const { call, connect } = yield* makeAgent
      const born = yield* call("bootstrap_workspace", { agentName: "scout" })
      yield* connect("/mcp", born.apiKey)
      const page = yield* call("create_page", { name: "Acme" })
      const channel = yield* call("create_channel", { name: "Ops", type: "webhook", url })
      const numbers = Array.from({ length: 11 }, (_, index) => index)
      for (const number of numbers) {
        yield* call("create_service", { name: `Shop ${number}`, url: `${url}${number}`, statusPage: page.id })
      }
      const monitors = numbers.map((number) => ({ key: `m${number}`, name: `Planned ${number}`, url: `${url}p${number}` }))
      const made = yield* call("plan_changes", { document: { monitors } })
      yield* call("apply_plan", { id: made.id })
      const pruning = yield* call("plan_changes", { document: { monitors: [] }, prune: true })
      const losses: ReadonlyArray<readonly [tool: string, input: Record<string, unknown>, count: number]> = [
        ["delete_channel", { id: channel.id }, 22],
        ["delete_page", { pageId: page.id }, 11],
        ["apply_plan", { id: pruning.id }, 11]
      ]
      for (const [tool, input, count] of losses) {
        const { error }: Json = yield* call(tool, input)
        expect([tool, error?.hint]).toEqual([tool, `Pass count: ${count}`])
        expect((yield* call(tool, { ...input, count: 9 })).error.message).toContain("not 9")
      }
      expect((yield* call("delete_page", { pageId: page.id, count: 11 })).deleted).toBe(true)
      expect((yield* call("apply_plan", { id: pruning.id, count: 11 })).delete).toBe(11)
      // REST has a plain DELETE, as the specification says.
      const plain = yield* callJson(`/api/v1/channels/${channel.id}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${born.apiKey}` }
      })
      expect([plain.status, plain.body.deleted]).toEqual([200, true])
    }))

  it.scoped("learns how to reach the tools that it does not list, and chooses the fields of rows", () =>
    Effect.gen(function*() {
      const { url } = yield* newSite
      const { call, connect } = yield* makeAgent
      const born = yield* call("bootstrap_workspace", { agentName: "scout" })
      yield* connect("/mcp?toolsets=essential", born.apiKey)
      const channel = yield* call("create_channel", { name: "Ops", type: "webhook", url })
      const mixedUp: Json = yield* call("get_monitor", { id: channel.id })
      expect(mixedUp.error.message).toContain("use list_channels (by use_tool)")
      const page = yield* call("create_page", { name: "Acme" })
      expect((yield* call("get_monitor", { id: page.id })).error.message).toContain("use get_page (by use_tool)")
      const monitor = yield* call("create_service", { name: "Shop", url })
      const crossed = yield* call("get_incident", { id: monitor.monitor.id })
      expect(JSON.stringify(crossed)).not.toContain("get_monitor (by")
      yield* connect("/mcp?toolsets=incidents", born.apiKey)
      expect((yield* call("get_incident", { id: page.id })).error.message).toContain("get_page (in none of your toolsets)")

      yield* connect("/mcp", born.apiKey)
      const short = yield* call("list_monitors")
      expect([short.data[0].intervalSec, short.leftOut]).toEqual([expect.any(Number), expect.stringContaining("fields with")])
      const chosen = yield* call("list_monitors", { fields: "timeoutMs, name" })
      expect([chosen.data, chosen.leftOut]).toEqual([
        [{ id: monitor.monitor.id, name: "Shop", timeoutMs: expect.any(Number) }],
        undefined
      ])
      const strange = yield* call("list_monitors", { fields: "timeout" })
      expect(strange.error.details[0].message).toContain("timeoutMs")
    }))

  it.scoped("sees in short rows what it decides by", () =>
    Effect.gen(function*() {
      const { url } = yield* newSite
      const { call, connect } = yield* makeAgent
      const born = yield* call("bootstrap_workspace", { agentName: "scout" })
      yield* connect("/mcp", born.apiKey)
      const sql = yield* SqlClient.SqlClient
      const workspaceId: WorkspaceId = (yield* call("whoami")).workspace.id
      yield* sql`update workspaces set claimed_at = now() where id = ${workspaceId}`
      const { email, userId } = yield* signedIn(workspaceId, "member", "Sam")
      const channel = yield* call("create_channel", { name: "Ops", type: "webhook", url })
      yield* call("test_channel", { id: channel.id })
      const made = yield* call("create_oncall_schedule", {
        name: "Platform",
        timezone: "UTC",
        handoffDay: 0,
        handoffTime: "09:00",
        participants: [userId]
      })
      expect(made.error).toBe(undefined)
      const levels = [{ afterMinutes: 0, targets: [{ type: "channel", id: channel.id }] }]
      expect((yield* call("create_escalation_policy", { name: "Ops", levels })).error).toBe(undefined)
      const [onCall] = (yield* call("get_current_oncall")).data
      expect(onCall.user.email).toBe(email)
      const [schedule] = (yield* call("list_oncall_schedules")).data
      expect(schedule.current.user.email).toBe(email)
      const [member] = (yield* call("list_oncall_members")).data
      expect([member.email, member.contact]).toEqual([email, expect.objectContaining({ phone: false })])
      const [policy] = (yield* call("list_escalation_policies")).data
      expect(policy.levels[0].targets[0].id).toBe(channel.id)
      const deliveries = yield* until(call("list_deliveries"), ({ data }) => data.length > 0)
      expect(deliveries.data[0].createdAt).toEqual(expect.any(String))
    }))

  it.scoped("is advised nothing that its key may not do, and what is wrong with a service", () =>
    Effect.gen(function*() {
      const { call, connect } = yield* makeAgent
      const born = yield* call("bootstrap_workspace", { agentName: "scout" })
      yield* connect("/mcp", born.apiKey)
      yield* call("create_monitor", { name: "Checkout", kind: "heartbeat", periodSec: 3600 })
      const lost = yield* call("create_deploy", { version: "1", service: "Chekout" })
      expect(lost.warnings[0]).toContain("Did you mean Checkout?")
      expect((yield* call("create_deploy", { version: "2", service: "checkout" })).warnings).toBe(undefined)
      const helper = yield* call("create_api_key", { name: "helper", operations: ["get_monitor"], expiresInMinutes: 60 })
      yield* connect("/mcp", helper.secret)
      const { error } = yield* call("get_monitor", { id: "mon_01k9x2m4q8e7s9v3bthn5wza6c" })
      expect([error.code, error.hint]).toEqual(["not_found", expect.stringContaining("This key may not call list_monitors")])
    }))
})
