/** Secrets of a monitor: visible to few, on every surface, and kept by an update. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { mask } from "../../../schema/Mask.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { bearer, call, callJson, newKey, post } from "../../support/program/TestServer.ts"
import { openWorkshop } from "../../support/targets/CertificateWorkshop.ts"

const { close, make } = openWorkshop()
const client = make({ name: "client" })
close()

/** A line of a key in PEM. */
const keyLine = client.key.split("\n")[1] ?? ""
const secrets = ["hunter2-bearer", "hunter2-cookie", "hunter2-key", "hunter2-body", keyLine, "hunter2-query"]

const input = {
  name: "Shop",
  paused: true,
  url: "https://shop.test/health?token=hunter2-query&x=1",
  method: "POST",
  headers: {
    Authorization: "Bearer hunter2-bearer",
    Cookie: "sid=hunter2-cookie",
    "X-Api-Key": "hunter2-key",
    Accept: "text/html"
  },
  body: "{\"user\":\"joe\",\"password\":\"hunter2-body\"}",
  clientCertificate: client.cert,
  clientKey: client.key
}

const maskedUrl = `https://shop.test/health?token=${mask}&x=1`

const textOf = (path: string, headers: Record<string, string>) =>
  Effect.flatMap(call(path, { headers }), (response) => Effect.promise(() => response.text()))

const patch = (path: string, body: unknown, key: string) =>
  callJson(path, { method: "PATCH", headers: { "content-type": "application/json", ...bearer(key) }, body: JSON.stringify(body) })

const setUp = Effect.gen(function*() {
  const writer = yield* newKey()
  const reader = yield* newKey(["read"], { workspaceId: writer.workspaceId })
  const created = yield* post("/api/v1/monitors", input, writer.headers)
  const id: string = created.body.id
  const sql = yield* SqlClient.SqlClient
  const stored = sql`select target, sealed, revision from monitors where id = ${id}`
  return { writer, reader, created, id, path: `/api/v1/monitors/${id}`, stored }
})

const tool = (name: string, args: object, headers: Record<string, string>) =>
  Effect.map(
    post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }, {
      ...headers,
      accept: "application/json, text/event-stream",
      host: "belltower.test"
    }),
    ({ body }) => JSON.stringify(body)
  )

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("the secrets of a monitor", (it) => {
  it.scoped("are shown to nobody once it is created, over REST, MCP, events and services", () =>
    Effect.gen(function*() {
      const { created, id, path, reader, writer } = yield* setUp
      const service = yield* post("/api/v1/services", input, writer.headers)
      expect([created.status, service.status]).toEqual([201, 201])
      const forWriters = [
        JSON.stringify(created.body),
        JSON.stringify(service.body),
        yield* textOf(path, writer.headers),
        yield* textOf("/api/v1/monitors", writer.headers),
        JSON.stringify((yield* patch(path, { name: "Shop 2" }, writer.secret)).body)
      ]
      for (const text of forWriters) {
        expect(secrets.filter((secret) => text.includes(secret))).toEqual(["hunter2-query"])
      }
      const forReaders = [
        yield* textOf(path, reader.headers),
        yield* textOf("/api/v1/monitors", reader.headers),
        yield* textOf("/api/v1/events", writer.headers),
        yield* textOf("/api/v1/audit-log", writer.headers),
        yield* tool("get_monitor", { id }, reader.headers),
        yield* tool("list_monitors", {}, reader.headers)
      ]
      for (const text of forReaders) expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
      expect(forReaders.map((text) => text.includes(maskedUrl))).toEqual([true, true, true, false, true, true])
    }))

  it.scoped("are shown to writers where they are no credentials; readers see only the names of headers", () =>
    Effect.gen(function*() {
      const { path, reader, writer } = yield* setUp
      yield* patch(path, { body: "{\"query\":\"stock\"}" }, writer.secret)
      const hidden = { Authorization: mask, Cookie: mask, "X-Api-Key": mask }
      expect((yield* callJson(path, { headers: writer.headers })).body).toMatchObject({
        headers: { ...hidden, Accept: "text/html" },
        body: "{\"query\":\"stock\"}",
        url: input.url
      })
      expect((yield* callJson(path, { headers: reader.headers })).body).toMatchObject({
        headers: { ...hidden, Accept: mask },
        body: mask,
        clientKey: mask,
        url: maskedUrl
      })
    }))

  it.scoped("look to a delegated key that may not update monitors as they look to readers", () =>
    Effect.gen(function*() {
      const { path, writer } = yield* setUp
      const delegated = yield* newKey(["read", "write"], { workspaceId: writer.workspaceId })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update api_keys set operations = '{get_monitor,run_check}', parent_id = ${writer.keyId} where id = ${delegated.keyId}`
      const { body, status } = yield* callJson(path, { headers: delegated.headers })
      expect([status, body.url, body.headers.Accept]).toEqual([200, maskedUrl, mask])
    }))

  it.scoped("survive an update that sends back the settings of the record, and can be replaced", () =>
    Effect.gen(function*() {
      const { path, stored, writer } = yield* setUp
      const before = yield* stored
      const { body: record } = yield* callJson(path, { headers: writer.headers })
      const names = Object.keys((yield* callJson("/api/v1/openapi.json")).body.components.schemas.MonitorUpdate.properties)
      const settings = Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)))
      expect(Object.keys(settings).length).toBeGreaterThan(20)
      const answer = yield* patch(path, settings, writer.secret)
      expect([answer.status, answer.body.error]).toEqual([200, undefined])
      const [after] = yield* stored
      expect([after?.["target"], after?.["revision"]]).toEqual([before[0]?.["target"], before[0]?.["revision"]])
      yield* patch(path, { headers: { ...record.headers, Authorization: "Bearer another" } }, writer.secret)
      expect((yield* stored)[0]?.["revision"]).toBe(2)
    }))

  it.scoped("are listed as present without being opened, beside the TLS settings of each kind", () =>
    Effect.gen(function*() {
      const { reader, writer } = yield* setUp
      yield* post("/api/v1/monitors", { name: "Names", kind: "dns", host: "shop.test", paused: true }, writer.headers)
      for (const { headers } of [writer, reader]) {
        const { body } = yield* callJson("/api/v1/monitors", { headers })
        expect(body.data).toMatchObject([
          { name: "Shop", tlsVerify: true, tlsCa: null, clientCertificate: client.cert, clientKey: mask },
          { name: "Names", tlsVerify: null, tlsCa: null, clientCertificate: null, clientKey: null }
        ])
      }
    }))

  it.scoped("cannot be made of the mask", () =>
    Effect.gen(function*() {
      const { path, writer } = yield* setUp
      for (
        const [setting, where] of [
          [{ headers: { "X-New": mask } }, "headers.X-New"],
          [{ headers: { Authorization: `Bearer ${mask}` } }, "headers.Authorization"],
          [{ url: `https://other.test/?token=${mask}` }, "url"],
          [{ clientKey: "not a key" }, "clientKey"]
        ] as const
      ) {
        const { body, status } = yield* patch(path, setting, writer.secret)
        expect([status, body.error.message]).toEqual([422, expect.stringContaining(where)])
      }
      const copied = yield* post("/api/v1/monitors", { ...input, body: mask }, writer.headers)
      expect([copied.status, copied.body.error.message]).toEqual([422, expect.stringContaining("body")])
    }))
})
