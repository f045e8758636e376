import { HttpApi, HttpApiBuilder, HttpApp, type HttpRouter, HttpServer } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { Webhook } from "standardwebhooks"
import { Alerts } from "../../../schema/api/Alerts.ts"
import { wire } from "../../../schema/Errors.ts"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { mask } from "../../../schema/Mask.ts"
import { AlertsLive } from "../../../src/http/alert/Alerts.ts"
import { operationAnswers } from "../../../src/http/guard/OperationAnswers.ts"
import { makeApplication } from "../../../src/http/server/Application.ts"
import { BaseUrl } from "../../../src/links/BaseUrl.ts"
import { WarnOfDuplicates } from "../../../src/operations/WarnOfDuplicates.ts"
import { Channels } from "../../../src/store/alert/Channels.ts"
import { DeliveryQueues } from "../../../src/store/alert/DeliveryQueues.ts"
import { Duplicates } from "../../../src/store/Duplicates.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { run } from "../../../src/store/postgres/Read.ts"
import { anyCaller } from "../../support/program/AnyCaller.ts"
import {
  answering,
  fanOut,
  ground,
  incidentCreated,
  loopback,
  newMonitor,
  newWorkspace,
  type Received,
  receiver,
  rowsOf
} from "./Receiver.ts"

const small = HttpApi.make("belltower").add(Alerts).addError(wire.internal).prefix("/api/v1")

class Handler extends Context.Tag("Handler")<Handler, (request: Request) => Promise<Response>>() {}

const handler = Layer.effect(
  Handler,
  Effect.gen(function*() {
    yield* HttpApi.Api
    const app = yield* makeApplication(operationAnswers(anyCaller))
    return HttpApp.toWebHandlerRuntime(yield* Effect.runtime<HttpRouter.HttpRouter.DefaultServices>())(app)
  })
).pipe(
  Layer.provide(HttpApiBuilder.api(small).pipe(Layer.provide(AlertsLive))),
  Layer.provide([HttpApiBuilder.Router.Live, HttpServer.layerContext, Layer.succeed(BaseUrl, "https://belltower.test")]),
  Layer.provide(WarnOfDuplicates.Default.pipe(Layer.provide(Duplicates.Default))),
  Layer.provideMerge(ground(loopback))
)

const call = Effect.fn("call")(function*(workspaceId: WorkspaceId, method: string, path: string, body?: unknown) {
  const handle = yield* Handler
  const response = yield* Effect.promise(() =>
    handle(
      new Request(`http://localhost/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${workspaceId}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
  )
  const text = yield* Effect.promise(() => response.text())
  return { status: response.status, text, json: JSON.parse(text === "" ? "null" : text) }
})

const webhookAt = (url: string, more: object = {}) => ({ name: "Team", type: "webhook", url, ...more })

const isSignedBy = (secret: string, { body, headers }: Received) =>
  Effect.isSuccess(Effect.try(() =>
    new Webhook(secret).verify(body, {
      "webhook-id": String(headers["webhook-id"]),
      "webhook-timestamp": String(headers["webhook-timestamp"]),
      "webhook-signature": String(headers["webhook-signature"])
    })
  ))

describe("alert channels", () => {
  layer(handler, { excludeTestServices: true })((it) => {
    it.effect("are created with their defaults and a signing secret that is shown only once", () =>
      Effect.gen(function*() {
        const workspaceId = yield* newWorkspace
        const created = yield* call(
          workspaceId,
          "POST",
          "/channels",
          webhookAt("https://hooks.example.com/x", {
            headers: { Authorization: "Bearer very-secret" }
          })
        )
        expect(created.status).toBe(201)
        expect(created.json).toMatchObject({
          type: "webhook",
          headers: { Authorization: mask },
          events: null,
          isDefault: true,
          enabled: true,
          signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)
        })
        // Settings of other types are not shown.
        expect(Object.keys(created.json)).toEqual(
          "id name type url headers events isDefault groupAlerts quietHours enabled createdAt updatedAt signingSecret".split(" ")
        )
        const listed = yield* call(workspaceId, "GET", "/channels")
        const { signingSecret: _, ...record } = created.json
        expect(listed.json).toEqual({ data: [{ ...record, identicalTo: [] }], next: null })
        expect(listed.text).not.toContain("very-secret")
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`select * from channels where id = ${created.json.id}`
        expect(JSON.stringify(rows)).not.toContain("very-secret")
      }))

    it.effect("that send mail are not available before a human has claimed the workspace", () =>
      Effect.gen(function*() {
        const workspaceId = yield* newWorkspace
        const make = call(workspaceId, "POST", "/channels", { name: "Mail", type: "email", emails: ["a@b.example"] })
        const closed = yield* make
        expect([closed.status, closed.json.error.code]).toEqual([403, "forbidden"])
        expect(closed.json.error).toMatchObject({
          message: "Email channels are unavailable until the workspace is claimed, because they send email",
          hint: expect.stringContaining("claimUrl")
        })
        const sql = yield* SqlClient.SqlClient
        yield* sql`update workspaces set claimed_at = now() where id = ${workspaceId}`
        expect((yield* make).status).not.toBe(403)
      }))

    it.scoped("list their deliveries, and deliver again what has ended or waits for its next attempt", () =>
      Effect.gen(function*() {
        const { seen, url } = yield* receiver(answering(400))
        const workspaceId = yield* newWorkspace
        const { json: channel } = yield* call(workspaceId, "POST", "/channels", webhookAt(url))
        yield* call(workspaceId, "POST", `/channels/${channel.id}/test`)
        const list = Effect.map(call(workspaceId, "GET", `/deliveries?channelId=${channel.id}`), ({ json }) => json.data)
        const [dead] = yield* list
        expect(dead).toMatchObject({
          eventType: "test.ping",
          status: "dead",
          attempts: 1,
          statusCode: 400,
          latencyMs: expect.any(Number),
          nextAttemptAt: null
        })
        const replay = call(workspaceId, "POST", `/deliveries/${dead.id}/replay`)
        expect((yield* replay).json).toMatchObject({ id: dead.id, status: "due", attempts: 0, finishedAt: null })
        expect((yield* replay).status).toBe(409)
        const { claim } = yield* DeliveryQueues
        const clock = yield* DatabaseClock
        // The clock estimates the database's time, so it may be a moment behind the row.
        const now = DateTime.add(yield* clock.now, { seconds: 1 })
        const held = yield* claim({ lane: "first", now, room: 10, perWorkspace: 10, except: [] })
        expect(held.flatMap(({ deliveries }) => deliveries)).toMatchObject([{
          id: dead.id,
          eventId: dead.eventId,
          body: seen[0]?.body
        }])
        const other = yield* newWorkspace
        expect((yield* call(other, "POST", `/deliveries/${dead.id}/replay`)).status).toBe(404)
        const sql = yield* SqlClient.SqlClient
        // One that waits for its next attempt is sent now; one that has had none waits for its own reason.
        const waiting = (attempts: number) =>
          sql`update deliveries set attempts = ${attempts}, due_at = now() + interval '1 hour' where id = ${dead.id}`
        yield* waiting(0)
        expect((yield* replay).status).toBe(409)
        yield* waiting(6)
        const { json: sentNow } = yield* replay
        expect(sentNow).toMatchObject({ id: dead.id, status: "due", attempts: 0 })
        expect(Date.parse(sentNow.nextAttemptAt)).toBeLessThan(DateTime.toEpochMillis(now) + 60_000)
        yield* sql`update deliveries set status = 'dead', finished_at = now() where id = ${dead.id}`
        const since = (yield* call(workspaceId, "POST", "/deliveries/replay", { since: "2020-01-01T00:00:00Z" })).json
        expect(since).toEqual({ replayed: 1, more: false })
      }))

    it.effect("are rejected with the path of every invalid setting", () =>
      Effect.gen(function*() {
        const workspaceId = yield* newWorkspace
        const paths = (input: object) =>
          Effect.map(call(workspaceId, "POST", "/channels", { name: "Team", type: "webhook", ...input }), ({ json, status }) => [
            status,
            ...(json.error?.details?.map(({ path }: { path: string }) => path) ?? [json.error?.message])
          ])
        expect(yield* paths({})).toEqual([422, "url"])
        expect(yield* paths({ url: "http://10.0.0.1/", headers: { Host: "x", "webhook-id": "y" } }))
          .toEqual([422, "url", "headers.Host", "headers.webhook-id"])
        expect(yield* paths({ url: "http://[::1]:80/" })).toEqual([422, "url"])
        expect(yield* paths({ url: "http://0x0a000001/" })).toEqual([422, "url"])
        expect(yield* paths({ url: "https://user:pass@hooks.example.com/" })).toEqual([422, "url"])
        expect(yield* paths({ url: "https://hooks.example.com/", chatId: "1" })).toEqual([422, "chatId"])
      }))

    it.effect("change only in the given fields", () =>
      Effect.gen(function*() {
        const workspaceId = yield* newWorkspace
        const { json: created } = yield* call(
          workspaceId,
          "POST",
          "/channels",
          webhookAt("https://hooks.example.com/x", {
            events: ["monitor.down"],
            headers: { "X-A": "1" }
          })
        )
        const path = `/channels/${created.id}`
        const { json: renamed } = yield* call(workspaceId, "PATCH", path, { name: "Night" })
        const { signingSecret: _, updatedAt: __, ...kept } = created
        expect(renamed).toMatchObject({ ...kept, name: "Night" })
        expect(renamed).not.toHaveProperty("signingSecret")
        const { json: reset } = yield* call(workspaceId, "PATCH", path, { events: null, headers: {} })
        expect(reset).toMatchObject({ name: "Night", events: null, headers: {} })
        expect((yield* call(workspaceId, "PATCH", path, { type: "slack" })).status).toBe(422)
        expect((yield* call(workspaceId, "PATCH", path, { url: "http://192.168.0.1/" })).status).toBe(422)
      }))

    it.effect("return their headers in the shape in which they were sent, and keep what is sent back as it was shown", () =>
      Effect.gen(function*() {
        const workspaceId = yield* newWorkspace
        const headers = { "X-A": "one", "X-B": "two" }
        const { json: created } = yield* call(
          workspaceId,
          "POST",
          "/channels",
          webhookAt("https://hooks.example.com/x", { headers })
        )
        expect(created.headers).toEqual({ "X-A": mask, "X-B": mask })
        const path = `/channels/${created.id}`
        const { json: sentBack } = yield* call(workspaceId, "PATCH", path, { headers: { ...created.headers, "X-B": "three" } })
        expect(sentBack.headers).toEqual({ "X-A": mask, "X-B": mask })
        const stored: Array<unknown> = []
        yield* (yield* Channels).change(workspaceId, created.id, (current) => {
          stored.push(current.secrets.settings)
          return Effect.succeed(current)
        })
        expect(stored).toMatchObject([{ headers: { "X-A": "one", "X-B": "three" } }])
        const stray = yield* call(workspaceId, "PATCH", path, { headers: { "X-C": mask } })
        expect([stray.status, stray.json.error.message]).toEqual([422, expect.stringMatching(/^headers\.X-C is /)])
      }))

    it.effect("are refused at a private address in any spelling, or at the machine itself", () =>
      Effect.gen(function*() {
        const workspaceId = yield* newWorkspace
        for (const host of ["10.0.0.1", "0xa.1", "167772161", "[::ffff:10.0.0.1]", "[fd00::1]", "169.254.169.254"]) {
          const { json, status } = yield* call(workspaceId, "POST", "/channels", webhookAt(`http://${host}/`))
          expect([host, status, json.error?.message]).toEqual([host, 422, expect.stringContaining("is a private address")])
        }
      }))

    it.effect("with an empty list of events receive the default ones, as without a list", () =>
      Effect.gen(function*() {
        const workspaceId = yield* newWorkspace
        const { json } = yield* call(workspaceId, "POST", "/channels", webhookAt("https://hooks.example.com/x", { events: [] }))
        expect(json.events).toBe(null)
      }))

    it.effect("belong to their workspace: to any other they do not exist", () =>
      Effect.gen(function*() {
        const [mine, theirs] = [yield* newWorkspace, yield* newWorkspace]
        const { json: { id } } = yield* call(mine, "POST", "/channels", webhookAt("https://hooks.example.com/x"))
        expect((yield* call(theirs, "GET", "/channels")).json.data).toEqual([])
        expect((yield* call(theirs, "PATCH", `/channels/${id}`, { name: "Taken" })).status).toBe(404)
        expect((yield* call(theirs, "DELETE", `/channels/${id}`)).status).toBe(404)
        expect((yield* call(theirs, "POST", `/channels/${id}/test`)).status).toBe(404)
        expect((yield* call(mine, "GET", "/channels")).json.data).toMatchObject([{ id, name: "Team" }])
      }))

    it.scoped("are tested immediately, even while they are disabled", () =>
      Effect.gen(function*() {
        const workspaceId = yield* newWorkspace
        const { next, url } = yield* receiver(answering(200))
        const { json: created } = yield* call(workspaceId, "POST", "/channels", webhookAt(url, { enabled: false }))
        const tested = yield* call(workspaceId, "POST", `/channels/${created.id}/test`)
        expect(tested).toMatchObject({ status: 200, json: { delivered: true, statusCode: 200, error: null } })
        const received = yield* next
        expect(JSON.parse(received.body)).toMatchObject({
          id: tested.json.eventId,
          type: "test.ping",
          workspaceId,
          data: { channel: { id: created.id, name: "Team" } }
        })
        expect(yield* isSignedBy(created.signingSecret, received)).toBe(true)
        expect(yield* rowsOf(created.id)).toMatchObject([{ status: "delivered", attempts: 1 }])
        const log = yield* EventLog
        expect(yield* run(log.readNewest(workspaceId, null, 10))).toMatchObject([{ id: tested.json.eventId, type: "test.ping" }])
        // The test is already delivered: it does not wait for the fan-out.
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`select fanned_out from events where id = ${tested.json.eventId}`).toEqual([{ fanned_out: true }])
      }))

    it.scoped("report why a test failed, and do not retry it", () =>
      Effect.gen(function*() {
        const workspaceId = yield* newWorkspace
        const { url } = yield* receiver(answering(500))
        const { json: { id } } = yield* call(workspaceId, "POST", "/channels", webhookAt(url))
        const { json } = yield* call(workspaceId, "POST", `/channels/${id}/test`)
        expect(json).toMatchObject({ delivered: false, statusCode: 500, error: "Answered 500 Internal Server Error" })
        expect(yield* rowsOf(id)).toMatchObject([{ status: "dead", attempts: 1 }])
      }))

    it.scoped("sign with both secrets after a rotation", () =>
      Effect.gen(function*() {
        const workspaceId = yield* newWorkspace
        const { next, url } = yield* receiver(answering(200))
        const { json: created } = yield* call(workspaceId, "POST", "/channels", webhookAt(url))
        const { json: rotated } = yield* call(workspaceId, "PATCH", `/channels/${created.id}`, { rotateSecret: true })
        expect(rotated.signingSecret).not.toBe(created.signingSecret)
        yield* call(workspaceId, "POST", `/channels/${created.id}/test`)
        const received = yield* next
        expect(yield* isSignedBy(created.signingSecret, received)).toBe(true)
        expect(yield* isSignedBy(rotated.signingSecret, received)).toBe(true)
      }))

    it.effect("when deleted are detached from their monitors, and their open deliveries end", () =>
      Effect.gen(function*() {
        const workspaceId = yield* newWorkspace
        const ids: Array<ChannelId> = []
        for (const url of ["https://a.example.com/", "https://b.example.com/"]) {
          ids.push((yield* call(workspaceId, "POST", "/channels", webhookAt(url))).json.id)
        }
        const [gone = "", kept = ""] = ids
        const monitorId = yield* newMonitor(workspaceId, ids)
        yield* Effect.flatMap(EventLog, (log) =>
          log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }]))
        yield* fanOut(100)
        expect((yield* rowsOf(gone)).length).toBe(1)
        expect((yield* call(workspaceId, "DELETE", `/channels/${gone}`)).json).toEqual({ id: gone, deleted: true })
        expect(yield* rowsOf(gone)).toEqual([])
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`select channel_ids from monitors where id = ${monitorId}`).toEqual([{ channel_ids: [kept] }])
        expect((yield* call(workspaceId, "DELETE", `/channels/${gone}`)).status).toBe(404)
      }))
  })
})
