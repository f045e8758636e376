/** Images over HTTP: what is stored and shown, by whom, and how a file is served so that nothing in it runs. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { deflateSync } from "node:zlib"
import { pngSignature, writeChunk } from "../../../src/domain/image/PngChunks.ts"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { programBaseUrl, TestProgram } from "../../support/program/Program.ts"
import { type Json, newKey } from "../../support/program/TestServer.ts"

const header = Buffer.alloc(13)
header.writeUInt32BE(2, 0)
header.writeUInt32BE(1, 4)
header.set([8, 6, 0, 0, 0], 8)

/** Two pixels, with a text that tells where they were taken. */
const picture = Buffer.concat([
  pngSignature,
  ...[
    { type: "IHDR", data: header },
    { type: "tEXt", data: Buffer.from("Location\0At home") },
    { type: "IDAT", data: deflateSync(Buffer.alloc(9)) },
    { type: "IEND", data: Buffer.alloc(0) }
  ].map(writeChunk)
])
const data = picture.toString("base64")

const workspace = Effect.gen(function*() {
  const { host, port } = yield* ServerAddress
  const { secret, workspaceId } = yield* newKey()
  const address = `http://${host}:${port}`
  const get = (path: string) =>
    Effect.promise(async () => {
      const response = await fetch(`${address}${path}`)
      return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
    })
  return { client: clientOf(address, secret), workspaceId, get }
})

const pathOf = ({ url }: Json): string => String(url).replace(programBaseUrl, "")

layer(TestProgram, { excludeTestServices: true, timeout: "90 seconds" })("an image", (it) => {
  it.effect("is stored without what does not draw it, and served to whoever knows its address as nothing but an image", () =>
    Effect.gen(function*() {
      const { client, get } = yield* workspace
      const made = yield* client.post("/images", { data })
      expect([made.status, made.body]).toMatchObject([201, { type: "png", width: 2, height: 1 }])
      expect(made.body.url).toBe(`${programBaseUrl}/images/${made.body.id}-2x1.png`)
      const { body, headers, status } = yield* get(pathOf(made.body))
      expect([status, headers.get("content-type"), body.length]).toEqual([200, "image/png", made.body.bytes])
      expect(body.includes("At home")).toBe(false)
      expect([
        headers.get("x-content-type-options"),
        headers.get("content-security-policy"),
        headers.get("cache-control"),
        headers.get("set-cookie")
      ]).toEqual(["nosniff", "default-src 'none'; sandbox", "public, max-age=3600", null])
    }))

  it.effect("is listed, newest first, and deleted by its own workspace alone", () =>
    Effect.gen(function*() {
      const { client, get } = yield* workspace
      const { client: stranger } = yield* workspace
      const [first, second] = [yield* client.post("/images", { data }), yield* client.post("/images", { data })]
      const ids = [second.body.id, first.body.id]
      expect((yield* client.get("/images")).body.data.map(({ id }: Json) => id)).toEqual(ids)
      const page = (yield* client.get("/images?limit=1")).body
      expect((yield* client.get(`/images?before=${page.next}`)).body.data).toEqual([first.body])
      expect((yield* stranger.get("/images")).body.data).toEqual([])
      expect((yield* stranger.delete(`/images/${first.body.id}`)).status).toBe(404)
      expect((yield* client.delete(`/images/${first.body.id}`)).body).toEqual({ id: first.body.id, deleted: true })
      expect((yield* client.delete(`/images/${first.body.id}`)).status).toBe(404)
      // It was not in memory.
      expect((yield* get(pathOf(first.body))).status).toBe(404)
    }))

  it.effect("is refused if it is none, with what is wrong", () =>
    Effect.gen(function*() {
      const { client } = yield* workspace
      const refused = Effect.fn(function*(given: string) {
        const { body, status } = yield* client.post("/images", { data: given })
        return [status, body.error.message]
      })
      const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>").toString("base64")
      expect(yield* refused(svg)).toEqual([422, expect.stringContaining("PNG or JPEG")])
      expect(yield* refused("not base64!")).toEqual([422, expect.stringContaining("base64")])
      expect(yield* refused(picture.subarray(0, -12).toString("base64"))).toEqual([422, expect.stringContaining("damaged")])
      expect((yield* refused(Buffer.alloc(1_048_577 + 3).toString("base64")))[0]).toBe(422)
      expect((yield* client.get("/images")).body.data).toEqual([])
    }))

  it.effect("counts towards the cap of its workspace", () =>
    Effect.gen(function*() {
      const { client, workspaceId } = yield* workspace
      const sql = yield* SqlClient.SqlClient
      const made = yield* client.post("/images", { data })
      yield* sql`
        insert into images (id, workspace_id, type, width, height, data, made_by, created_at)
        select 'img_' || n || ${String(made.body.id)}, workspace_id, type, width, height, data, made_by, created_at
        from images, generate_series(1, 299) n where workspace_id = ${workspaceId}`
      const { body, status } = yield* client.post("/images", { data })
      expect([status, body.error.message]).toEqual([422, expect.stringMatching(/at most \d+ images/)])
    }))

  it.effect("has no other address", () =>
    Effect.gen(function*() {
      const { client, get } = yield* workspace
      const { body } = yield* client.post("/images", { data })
      const path = pathOf(body)
      const others = [path.replace("2x1", "3x1"), path.replace(".png", ".jpg"), `/images/${body.id}`, "/images/..%2fhb%2fx"]
      for (const other of others) expect((yield* get(other)).status).toBe(404)
    }))

  it.effect("is shown on the page of an incident, whose policy then names the images of the service and nothing else of it", () =>
    Effect.gen(function*() {
      const { client, get } = yield* workspace
      const { body: page } = yield* client.post("/pages", { name: "Pictures" })
      const policy = Effect.map(
        get(`/s/${page.slug}`),
        ({ headers }) => /img-src ([^;]*)/.exec(headers.get("content-security-policy") ?? "")?.[1]
      )
      expect(yield* policy).toBe("data:")
      const { body: image } = yield* client.post("/images", { data })
      const { body: incident } = yield* client.post("/incidents", {
        title: "Slow",
        message: `See ![the graph](${image.url})`,
        pageIds: [page.id],
        public: true
      })
      const { body } = yield* get(`/s/${page.slug}/incidents/${incident.id}`)
      expect(body.toString()).toContain(`<img src="${image.url}" alt="the graph" width="2" height="1" loading="lazy">`)
      yield* client.patch(`/pages/${page.id}`, { branding: { logoUrl: image.url } })
      expect(yield* policy).toBe(`data: ${programBaseUrl}/images/`)
      expect((yield* get(`/s/${page.slug}`)).body.toString()).toContain(`<img src="${image.url}"`)
      // A redirect of an image elsewhere would lead to any path of the service that the policy names the origin of.
      yield* client.patch(`/pages/${page.id}`, { branding: { logoUrl: "https://cdn.acme.test/logo.png" } })
      expect(yield* policy).toBe("data: https://cdn.acme.test/logo.png")
      expect((yield* get(`/s/${page.slug}/incidents/${incident.id}`)).body.toString()).not.toContain(`<img src="${image.url}"`)
    }))

  it.effect("may be in a public summary, whose addresses are refused otherwise", () =>
    Effect.gen(function*() {
      const { client } = yield* workspace
      const { body: page } = yield* client.post("/pages", { name: "Summary" })
      const { body: image } = yield* client.post("/images", { data })
      const { body: incident } = yield* client.post("/incidents", { title: "Slow", message: "We look.", pageIds: [page.id] })
      yield* client.post(`/incidents/${incident.id}/resolve`, {})
      yield* client.put(`/incidents/${incident.id}/postmortem`, { markdown: "# It was slow" })
      const publish = (body: string) => client.post(`/incidents/${incident.id}/postmortem/publish`, { body })
      expect((yield* publish(`See https://db.internal.test/x`)).status).toBe(422)
      expect((yield* publish(`See ![the graph](${image.url})`)).status).toBe(200)
    }))
})
