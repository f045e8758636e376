/** Pushes over HTTP: every form of body, valid and invalid tokens, and too many pushes. */
import { HttpApi, HttpApiBuilder, HttpApiGroup } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, identity, Layer } from "effect"
import { pushComponentStatus } from "../../../schema/api/Agents.ts"
import type { ComponentInput } from "../../../schema/component/Component.ts"
import { operationAnswers } from "../../../src/http/guard/OperationAnswers.ts"
import { makeApplication } from "../../../src/http/server/Application.ts"
import { operationGroup } from "../../../src/http/server/OperationGroup.ts"
import { readByAllRoutes, serveApp, ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { BaseUrl } from "../../../src/links/BaseUrl.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { TakePush } from "../../../src/operations/component/TakePush.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { Components } from "../../../src/store/component/Components.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { call, callJson, post } from "../../support/program/TestServer.ts"

const agents = HttpApiGroup.make("Agents").add(pushComponentStatus)
const small = HttpApi.make("belltower").add(agents).prefix("/api/v1")

const handlers = operationGroup(
  small,
  "Agents",
  (group) =>
    Effect.map(
      TakePush,
      (pushing) => group.handle("push_component_status", ({ path, payload }) => pushing.take(path.token, payload))
    )
)

/** The real parsing, envelope and handler over a real runner. */
const served = Layer.scoped(
  ServerAddress,
  Effect.gen(function*() {
    yield* HttpApi.Api
    const app = yield* makeApplication(operationAnswers(() => identity))
    return yield* serveApp(
      { host: "127.0.0.1", port: 0 },
      { app, endStreams: Effect.void, reads: Context.pick(...readByAllRoutes) }
    )
  })
).pipe(
  Layer.provide(HttpApiBuilder.api(small).pipe(Layer.provide(handlers))),
  Layer.provide([HttpApiBuilder.Router.Live, NodeHttpServer.layerContext]),
  Layer.provide([TakePush.Default, Layer.succeed(BaseUrl, "https://belltower.test")]),
  Layer.provideMerge(TestRunner)
)

const newPushed = (input: Partial<ComponentInput> = {}) =>
  Effect.gen(function*() {
    const { id: workspaceId } = yield* newWorkspace
    const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Acme" }))
    const components = yield* ManageComponents
    const stored = yield* Components
    const { id, pushUrl } = yield* components.create(workspaceId, page.id, {
      name: "Queue",
      push: true,
      confirmations: 1,
      ...input
    })
    return {
      id,
      path: new URL(pushUrl ?? "").pathname,
      component: Effect.map(stored.ofPages(workspaceId, [page.id]), ([view]) => view!)
    }
  })

layer(served, { excludeTestServices: true, timeout: "60 seconds" })("a push", (it) => {
  it.effect("needs no key, and its answer contains the status that the component shows now", () =>
    Effect.gen(function*() {
      const { component, id, path } = yield* newPushed({ confirmations: 2 })
      const first = yield* post(path, { status: "down", message: "No workers", observedAt: "2026-01-01T00:00:00.000Z" })
      expect([first.status, first.body]).toEqual([200, {
        ok: true,
        component: { id, key: "queue", name: "Queue" },
        reported: "major_outage",
        taken: "counted",
        status: "unknown",
        statusMessage: null,
        awaiting: { reports: 1, confirmations: 2 }
      }])
      const again = yield* post(path, { status: "down", observedAt: "2026-01-01T00:00:00.000Z" })
      expect(again.body).toMatchObject({ taken: "repeated", awaiting: { reports: 1 } })
      const sure = yield* post(path, { status: "down", message: "No workers", confirmed: true })
      expect(sure.body).toMatchObject({ status: "major_outage", statusMessage: "No workers", awaiting: null })
      expect(yield* component).toMatchObject({ status: "major_outage", statusMessage: "No workers" })
    }))

  it.effect("accepts any of the status words", () =>
    Effect.gen(function*() {
      const { path } = yield* newPushed()
      const words = [
        ["degraded", "degraded"],
        ["Partial_Outage", "partial_outage"],
        ["maintenance", "maintenance"],
        ["ok", "operational"],
        [false, "major_outage"],
        [true, "operational"],
        [0, "major_outage"],
        [1, "operational"],
        ["fail", "major_outage"]
      ]
      for (const [word, status] of words) {
        expect([word, (yield* post(path, { status: word })).body.status]).toEqual([word, status])
      }
    }))

  it.effect("may be a form, JSON without a content type, or plain text beside a query", () =>
    Effect.gen(function*() {
      const { path } = yield* newPushed()
      const sent = (query: string, body: string, type?: string) =>
        Effect.map(
          callJson(`${path}${query}`, { method: "POST", body, headers: type === undefined ? {} : { "content-type": type } }),
          ({ body, status }) => [status, body.status, body.statusMessage]
        )
      const form = "application/x-www-form-urlencoded"
      expect(yield* sent("", "status=fail&message=Disk+full&confirmed=1", form)).toEqual([200, "major_outage", "Disk full"])
      expect(yield* sent("", "status=0", form)).toEqual([200, "major_outage", null])
      expect(yield* sent("", "{\"status\":true}", form)).toEqual([200, "operational", null])
      expect(yield* sent("", "{\"status\":\"degraded\"}", "text/plain")).toEqual([200, "degraded", null])
      expect(yield* sent("?status=down", "Disk full\n", "text/plain")).toEqual([200, "major_outage", "Disk full"])
      expect(yield* sent("?status=up&message=Fine", "", "text/plain")).toEqual([200, "operational", "Fine"])
    }))

  it.effect("without a usable status is rejected with the accepted values", () =>
    Effect.gen(function*() {
      const { component, path } = yield* newPushed()
      const refusals = [
        [{}, "status", /^Required$/],
        [{ status: "okay" }, "status", /^Expected one of operational, degraded, .*down, false, 1 or 0$/],
        [{ status: 2 }, "status", /^Expected one of operational/],
        [{ status: "ok", message: "x".repeat(501) }, "message", /500/],
        [{ status: "ok", confirmed: "perhaps" }, "confirmed", /true or false/],
        [{ status: "ok", observedAt: "2026-01-01T00:00:00" }, "observedAt", /Z or an offset/],
        [{ status: "ok", state: "ok" }, "state", /Unknown field/]
      ] as const
      for (const [body, field, message] of refusals) {
        const answer = yield* post(path, body)
        expect([body, answer.status, answer.body.error.details[0].path]).toEqual([body, 422, field])
        expect(answer.body.error.details[0].message).toMatch(message)
      }
      const early = yield* post(path, { status: "ok", observedAt: "2999-01-01T00:00:00Z" })
      expect([early.status, early.body.error.message]).toEqual([422, "observedAt is more than 5 minutes in the future"])
      expect((yield* component).status).toBe("unknown")
    }))

  it.effect("to an unknown URL is not found, whatever the URL", () =>
    Effect.gen(function*() {
      const { path } = yield* newPushed()
      const tokens = [path.slice(0, -1), `${path}x`, "/api/v1/push/no", `/api/v1/push/${encodeURIComponent("a'\u0000b")}`]
      for (const token of tokens) {
        const answer = yield* post(token, { status: "ok" })
        expect([token, answer.status, answer.body.error.code]).toEqual([token, 404, "not_found"])
        expect(JSON.stringify(answer.body)).not.toContain(path)
      }
      expect((yield* call(path)).status).toBe(405)
    }))

  it.effect("is limited to 120 a minute", () =>
    Effect.gen(function*() {
      const { id, path } = yield* newPushed()
      const sql = yield* SqlClient.SqlClient
      yield* post(path, { status: "ok" })
      // Simulates that this minute and the next are used up.
      yield* sql`
        insert into rate_limits (key, window_start, count)
        select ${`push:${id}`}, date_trunc('minute', now()) + next * interval '1 minute', 120 from unnest(array[0, 1]) as next
        on conflict (key, window_start) do update set count = 120`
      const refused = yield* post(path, { status: "down" })
      expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"])
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
      expect((yield* post((yield* newPushed()).path, { status: "ok" })).status).toBe(200)
    }))
})
