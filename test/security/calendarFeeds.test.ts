/** The address of a calendar feed is a credential of one reader, which ends with the reader's access and says nothing else. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newPage } from "../operations/incident/Fixtures.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { TestProgram } from "../support/program/Program.ts"
import { bearer, call, callJson, newKey, post } from "../support/program/TestServer.ts"

const get = (path: string, headers: Record<string, string>) => callJson(`/api/v1${path}`, { headers })

const read = Effect.fn("read")(function*(url: string, headers: Record<string, string> = {}) {
  const answer = yield* call(new URL(url).pathname, { headers })
  return { status: answer.status, headers: answer.headers, text: yield* Effect.promise(() => answer.text()) }
})

const statusOf = (url: string) => Effect.map(read(url), ({ status }) => status)

/** A schedule of one member. */
const scene = Effect.fn("scene")(function*(name = "Platform", person = "Alex") {
  const { client, workspaceId } = yield* newPage
  const sql = yield* SqlClient.SqlClient
  yield* sql`update workspaces set claimed_at = now() where id = ${workspaceId}`
  const alex = yield* signedIn(workspaceId, "member", person)
  const made = yield* client.post("/oncall/schedules", {
    name,
    timezone: "UTC",
    handoffDay: 0,
    handoffTime: "09:00",
    participants: [alex.userId]
  })
  expect(made.status).toBe(201)
  const path = `/oncall/schedules/${made.body.id}`
  const feedOf = (headers: Record<string, string>) => Effect.map(get(path, headers), ({ body }) => String(body.feedUrl))
  return { client, workspaceId, sql, alex, id: String(made.body.id), path, feedOf, feedUrl: String(made.body.feedUrl) }
})

layer(TestProgram, { excludeTestServices: true, timeout: "90 seconds" })("a calendar feed", (it) => {
  it.effect("ends with the membership of its reader; those of others go on", () =>
    Effect.gen(function*() {
      const { alex, feedOf, feedUrl, sql, workspaceId } = yield* scene()
      const leaver = yield* signedIn(workspaceId, "viewer")
      const [theirs, own] = [yield* feedOf(leaver.headers), yield* feedOf(alex.headers)]
      expect(new Set([theirs, own, feedUrl]).size).toBe(3)
      expect(yield* Effect.forEach([theirs, own, feedUrl], statusOf)).toEqual([200, 200, 200])
      yield* sql`delete from memberships where user_id = ${leaver.userId}`
      expect(yield* Effect.forEach([theirs, own, feedUrl], statusOf)).toEqual([404, 200, 200])
    }))

  it.effect("does not outlive the key that read it: not its expiry, its revocation, or its parent", () =>
    Effect.gen(function*() {
      const { client, feedOf, sql } = yield* scene()
      const delegated = (yield* client.post("/api-keys", { name: "brief", expiresInMinutes: 5 })).body
      const reader = (yield* client.post("/api-keys", { name: "reader", scopes: ["read"] })).body
      const feeds = [yield* feedOf(bearer(delegated.secret)), yield* feedOf(bearer(reader.secret))]
      expect(yield* Effect.forEach(feeds, statusOf)).toEqual([200, 200])
      yield* sql`update api_keys set expires_at = now() - interval '1 second' where id = ${delegated.id}`
      yield* client.delete(`/api-keys/${reader.id}`)
      expect(yield* Effect.forEach(feeds, statusOf)).toEqual([404, 404])
    }))

  it.effect("is not made from that of another: of another reader, schedule, workspace or version", () =>
    Effect.gen(function*() {
      const one = yield* scene()
      const other = yield* scene()
      const own = yield* one.feedOf(one.alex.headers)
      const stranger = yield* newKey()
      const forged = [
        own.replace(one.alex.userId, other.alex.userId),
        own.replace(one.alex.userId, stranger.keyId),
        own.replace(one.id, other.id),
        own.replace(`${one.alex.userId}.`, ""),
        own.replace(`${one.alex.userId}.`, "."),
        own.replace(/.\.ics$/, "=.ics"),
        own.replace(".ics", ""),
        own.replace(/\.[^.]+\.ics$/, ".ics"),
        own.replace(`${one.alex.userId}.`, `${one.alex.userId}%00.`)
      ]
      expect(yield* Effect.forEach(forged, statusOf)).toEqual(forged.map(() => 404))
      yield* one.client.patch(`/oncall/schedules/${one.id}`, { rotateFeed: true })
      expect([yield* statusOf(own), yield* statusOf(one.feedUrl)]).toEqual([404, 404])
      expect(yield* statusOf(yield* one.feedOf(one.alex.headers))).toBe(200)
      yield* one.client.delete(`/oncall/schedules/${one.id}`)
      expect(yield* statusOf(yield* other.feedOf(other.alex.headers))).toBe(200)
      expect(yield* statusOf(own)).toBe(404)
    }))

  it.effect("says its address nowhere, and no shared cache keeps it", () =>
    Effect.gen(function*() {
      const { alex, feedOf } = yield* scene()
      const url = yield* feedOf(alex.headers)
      const { headers, text } = yield* read(url)
      const token = /([^/]+)\.ics$/.exec(url)?.[1] ?? "none"
      expect(headers.get("cache-control")).toBe("private, max-age=300")
      expect(headers.get("x-robots-tag")).toBe("noindex")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      const said: Array<string> = [text]
      headers.forEach((value) => said.push(value))
      expect(said.filter((one) => one.includes(token))).toEqual([])
      expect(text).not.toContain(alex.email)
      expect(text).not.toContain(alex.userId)
    }))

  it.effect("has no lines, events or alarms that a name brings along", () =>
    Effect.gen(function*() {
      const evil = "x\r\nEND:VEVENT\r\nBEGIN:VALARM\nATTACH:https://evil.example/\r\n;,\\\u0085\u2028END:VCALENDAR"
      const { alex, feedOf, path, sql } = yield* scene()
      yield* sql`update users set name = ${evil} where id = ${alex.userId}`
      yield* sql`update oncall_schedules set name = ${evil} where id = ${path.slice(path.lastIndexOf("/") + 1)}`
      const { status, text } = yield* read(yield* feedOf(alex.headers))
      expect(status).toBe(200)
      const lines = text.replaceAll("\r\n ", "").split("\r\n")
      const properties = new Set(lines.map((line) => line.split(/[:;]/)[0]))
      expect(properties).toEqual(
        new Set([
          "BEGIN",
          "VERSION",
          "PRODID",
          "CALSCALE",
          "METHOD",
          "NAME",
          "X-WR-CALNAME",
          "REFRESH-INTERVAL",
          "X-PUBLISHED-TTL",
          "UID",
          "DTSTAMP",
          "DTSTART",
          "DTEND",
          "SUMMARY",
          "TRANSP",
          "END",
          ""
        ])
      )
      expect(lines.some((line) => line.startsWith("BEGIN:VALARM"))).toBe(false)
      expect(/[^\r]\n|\r[^\n]/.test(text)).toBe(false)
    }))

  it.effect("is not known to a plan's or an import's answer, and a schedule made by a key has the key's address", () =>
    Effect.gen(function*() {
      const { client, feedUrl } = yield* scene()
      const exported = yield* client.get("/export")
      expect(JSON.stringify(exported.body)).not.toContain(new URL(feedUrl).pathname)
      const key = (yield* client.get("/agent/whoami")).body.key.id
      expect(feedUrl).toContain(`/${key}.`)
      expect((yield* post("/api/v1/oncall/schedules", {}, {})).status).toBe(401)
    }))
})
