/** Creating monitors counts them against the plan: all of them together, and those that run code once more. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"

const script: MonitorInput = { name: "Login", kind: "script", code: "assert(true)" }

const onFree = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { id } = yield* newWorkspace
  yield* sql`update workspaces set plan = 'free' where id = ${id}`
  return id
})

layer(TestRunner, { excludeTestServices: true, timeout: "30 seconds" })("a plan", (it) => {
  it.scoped("counts script and browser monitors together, and gives the place back when one is deleted", () =>
    Effect.gen(function*() {
      const { create, remove } = yield* ManageMonitors
      const id = yield* onFree
      const first = yield* create(id, script)
      for (const input of [script, { name: "Shop", kind: "browser", code: "await page.title()" } as const]) {
        expect(yield* Effect.flip(create(id, input))).toMatchObject({
          _tag: "plan_limit",
          message: "The Free plan allows 1 browser or script monitor",
          details: { upgrade: { plan: "starter", name: "Starter" } }
        })
      }
      expect((yield* create(id, { name: "Port", host: "shop.test", port: 443 })).kind).toBe("tcp")
      yield* remove(id, first.id)
      expect((yield* create(id, script)).kind).toBe("script")
    }))

  it.scoped("limits the interval of an edit, but not of what was there before", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { create, update } = yield* ManageMonitors
      const id = yield* onFree
      yield* sql`update workspaces set plan = 'business' where id = ${id}`
      const { id: monitor } = yield* create(id, { ...script, intervalSec: 10, timeoutMs: 5000 })
      yield* sql`update workspaces set plan = 'free' where id = ${id}`
      expect((yield* update(id, monitor, { name: "Sign-in" })).intervalSec).toBe(10)
      expect((yield* update(id, monitor, { intervalSec: 60 })).intervalSec).toBe(60)
      expect(yield* Effect.flip(update(id, monitor, { intervalSec: 30 }))).toMatchObject({
        _tag: "plan_limit",
        message: "The Free plan allows intervals of 60 s or more"
      })
    }))
})
