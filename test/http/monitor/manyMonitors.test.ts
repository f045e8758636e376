/** Changes and deletions of many monitors: all of them or none, and an answer of what differs. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestProgram } from "../../support/program/Program.ts"
import { bearer, callJson, type Json, newKey, post } from "../../support/program/TestServer.ts"

const fleet = (key: string, size: number, input: object = {}) =>
  Effect.forEach(Array.from({ length: size }, (_, index) => index), (index) =>
    Effect.map(
      post(
        "/api/v1/monitors",
        { name: `Shop ${index}`, url: "https://shop.test/", paused: true, tags: ["shop"], ...input },
        bearer(key)
      ),
      ({ body }): string => body.id
    ))

const update = (key: string, body: object) =>
  callJson("/api/v1/monitors", {
    method: "PATCH",
    headers: { ...bearer(key), "content-type": "application/json" },
    body: JSON.stringify(body)
  })

const remove = (key: string, body: object) => post("/api/v1/monitors/delete", body, bearer(key))

const read = (key: string, id: string) =>
  Effect.map(callJson(`/api/v1/monitors/${id}`, { headers: bearer(key) }), ({ body }): Json => body)

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("many monitors", (it) => {
  it.scoped("change together, by tag, and the answer has those that differ", () =>
    Effect.gen(function*() {
      const { secret } = yield* newKey()
      const [first = "", second = ""] = yield* fleet(secret, 2)
      const [third = ""] = yield* fleet(secret, 1, { tags: ["blog"] })
      yield* update(secret, { ids: [first], set: { intervalSec: 300 } })
      const { body, status } = yield* update(secret, {
        tag: "shop",
        set: { intervalSec: 300 },
        add: { tags: ["paid"] },
        remove: { tags: ["shop"] }
      })
      expect([status, body]).toEqual([200, {
        dryRun: false,
        matched: 2,
        changed: [
          { id: first, name: "Shop 0", fields: ["tags"] },
          { id: second, name: "Shop 1", fields: ["intervalSec", "tags"] }
        ]
      }])
      expect([(yield* read(secret, second)).tags, (yield* read(secret, third)).intervalSec]).toEqual([["paid"], 60])
    }))

  it.scoped("stay as they are in a dry run, and if one of them cannot change", () =>
    Effect.gen(function*() {
      const { secret } = yield* newKey()
      const [first = ""] = yield* fleet(secret, 1)
      const [second = ""] = yield* fleet(secret, 1, { name: "Slow", tags: Array.from({ length: 20 }, (_, index) => `t${index}`) })
      const tried = yield* update(secret, { search: "shop", dryRun: true, set: { failureThreshold: 5 } })
      expect([tried.body.dryRun, tried.body.changed.length]).toEqual([true, 2])
      const refused = yield* update(secret, { ids: [first, second], set: { intervalSec: 300 }, add: { tags: ["more"] } })
      expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringContaining(`Slow (${second})`)])
      expect(yield* read(secret, first)).toMatchObject({ intervalSec: 60, failureThreshold: 2 })
    }))

  it.scoped("need a selection and a change, and only what exists can be selected", () =>
    Effect.gen(function*() {
      const { secret } = yield* newKey()
      const { secret: stranger } = yield* newKey()
      const [foreign = ""] = yield* fleet(stranger, 1)
      for (const body of [{ set: { paused: true } }, { tag: "shop" }, { tag: "a", ids: [foreign], set: { ai: false } }]) {
        expect((yield* update(secret, body)).status).toBe(422)
      }
      const unknown = yield* remove(secret, { ids: [foreign] })
      expect([unknown.status, unknown.body.error.message]).toEqual([422, expect.stringContaining(foreign)])
      expect((yield* read(stranger, foreign)).paused).toBe(true)
    }))

  it.scoped("are deleted together; more than ten only by a caller who knows how many", () =>
    Effect.gen(function*() {
      const { secret } = yield* newKey()
      const ids = yield* fleet(secret, 11)
      const asked = yield* remove(secret, { tag: "shop" })
      expect([asked.status, asked.body.error.hint]).toEqual([422, "Pass count: 11"])
      expect((yield* remove(secret, { tag: "shop", dryRun: true })).body.deleted.length).toBe(11)
      expect((yield* remove(secret, { tag: "shop", count: 12 })).status).toBe(422)
      const gone = yield* remove(secret, { tag: "shop", count: 11 })
      expect(gone.body.deleted.map(({ id }: Json) => id)).toEqual(ids)
      expect((yield* callJson("/api/v1/monitors", { headers: bearer(secret) })).body.data).toEqual([])
      const audit = yield* callJson("/api/v1/audit?operation=delete_monitors&limit=1", { headers: bearer(secret) })
      expect(audit.body.data[0].operation).toBe("delete_monitors")
    }))
})
