/** Which statuses are read from the documents that status pages and health endpoints publish. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import * as fc from "fast-check"
import { entryFor, mostKeys, readManifest, statusOf } from "../../../../src/domain/check/answer/Manifest.ts"

const read = (document: unknown) => Either.getOrThrow(readManifest(JSON.stringify(document)))
const shortly = (document: unknown) => Object.fromEntries(read(document).map(({ key, status }) => [key, status]))

describe("a manifest", () => {
  it("may be a plain map of keys to statuses, in any of the usual words", () => {
    expect(shortly({ api: "ok", web: "Partial Outage", db: false, mail: 1, search: "degraded-performance", version: "1.2.3" }))
      .toEqual({
        api: "operational",
        web: "partial_outage",
        db: "major_outage",
        mail: "operational",
        search: "degraded"
      })
  })

  it("may list components like Statuspage does, known by id and name", () => {
    const entries = read({
      page: { id: "p", name: "Acme", url: "https://status.acme.test" },
      status: { indicator: "minor", description: "Partly" },
      components: [
        { id: "x1", name: "API Gateway", status: "operational", description: null },
        { id: "x2", name: "Uploads", status: "under_maintenance", description: "Until noon" }
      ]
    })
    expect(entryFor(entries, "x2")).toMatchObject({ status: "maintenance", message: "Until noon" })
    expect(entryFor(entries, "api gateway")).toMatchObject({ key: "x1", status: "operational" })
    expect(entryFor(entries, "missing")).toBeNull()
  })

  it("may list components like Instatus does, with statuses in one word", () => {
    const statuses = [
      ["OPERATIONAL", "operational"],
      ["UNDERMAINTENANCE", "maintenance"],
      ["DEGRADEDPERFORMANCE", "degraded"],
      ["MINOROUTAGE", "degraded"],
      ["PARTIALOUTAGE", "partial_outage"],
      ["MAJOROUTAGE", "major_outage"]
    ] as const
    const components = statuses.map(([status]) => ({ id: status, name: "API", status }))
    expect(shortly({ components })).toEqual(Object.fromEntries(statuses))
    expect([-1, "-1", "- 0"].map(statusOf)).toEqual([null, null, null])
  })

  it("may be a health document with checks, of which the worst measurement counts", () => {
    expect(shortly({
      status: "pass",
      checks: { "db:latency": [{ status: "pass" }, { status: "fail", output: "too slow" }], "cache": [{ status: "warn" }] }
    })).toEqual({ "db:latency": "major_outage", cache: "degraded", status: "operational" })
    expect(shortly({ status: "UP", components: { db: { status: "UP" }, disk: { status: "OUT_OF_SERVICE" } } })).toEqual({
      db: "operational",
      disk: "major_outage",
      status: "operational"
    })
    expect(shortly([{ name: "api", healthy: true }, { name: "web", up: false }])).toEqual({
      api: "operational",
      web: "major_outage"
    })
  })

  it("is refused if it is not JSON or has no statuses, with the reason", () => {
    expect(Either.getLeft(readManifest("<html>"))).toMatchObject({ value: "The manifest is not JSON" })
    for (const document of [null, 1, "up", [], {}, { api: "sideways" }, { components: [] }]) {
      expect(Either.isLeft(readManifest(JSON.stringify(document)))).toBe(true)
    }
  })

  it("is bounded, has each key once, and finds every key that it lists", () => {
    fc.assert(fc.property(fc.jsonValue(), (document) => {
      const entries = Either.getOrElse(readManifest(JSON.stringify(document)), () => [])
      expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length)
      for (const { key } of entries) expect(entryFor(entries, key)).not.toBeNull()
    }))
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`${index}-${"k".repeat(300)}`, "up"]))
    const entries = read(many)
    expect(entries).toHaveLength(mostKeys)
    expect(entries.every(({ key }) => key.length === 120)).toBe(true)
  })

  it("takes no inherited property for a status", () => {
    for (const word of ["constructor", "__proto__", "toString", "hasOwnProperty"]) expect(statusOf(word)).toBeNull()
    expect(Either.isLeft(readManifest("{\"__proto__\":{\"status\":\"sideways\"}}"))).toBe(true)
  })
})
