/**
 * Attacks by the sources of imports, and by those who name them: where the key of the caller goes, which addresses are reached, and how
 * long and how much an import reads.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { parseAllowList } from "../../src/domain/check/address/Egress.ts"
import { EgressGuard, type EgressOptions } from "../../src/egress/EgressGuard.ts"
import type { Importer, ImportRequest } from "../../src/external/import/Importer.ts"
import { publicSources } from "../../src/external/import/SourceAddresses.ts"
import { betterstack } from "../../src/external/importers/betterstack.ts"
import { healthchecks } from "../../src/external/importers/healthchecks.ts"
import { statuspage } from "../../src/external/importers/statuspage.ts"
import { uptimerobot } from "../../src/external/importers/uptimerobot.ts"
import { withBody } from "../support/services/WithBody.ts"
import { listening } from "../support/targets/LocalTargets.ts"

const key = "the-key-of-the-caller"

const request: ImportRequest = {
  apiKey: Redacted.make(key),
  pageId: null,
  url: null,
  document: null,
  wants: { monitors: true, channels: true, pages: true, incidents: true, mirror: false },
  patience: "2 seconds"
}

interface Seen {
  readonly path: string
  /** All of a request: its line, headers and body. */
  readonly text: string
}

/** A server on loopback that keeps what it was asked. */
const server = (answer: (path: URL, response: ServerResponse, seen: ReadonlyArray<Seen>) => void, host = "127.0.0.1") =>
  Effect.gen(function*() {
    const seen: Array<Seen> = []
    const port = yield* listening(
      createServer((asked: IncomingMessage, response) =>
        withBody(asked, (body) => {
          const url = new URL(asked.url ?? "/", "http://source")
          seen.push({ path: url.pathname + url.search, text: [asked.method, asked.url, ...asked.rawHeaders, body].join(" ") })
          answer(url, response, seen)
        })
      ),
      host
    )
    return { url: `http://${host}:${port}`, seen }
  })

const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
}

const read = (importer: Importer, at: string, more: Partial<ImportRequest> = {}, options: Partial<EgressOptions> = {}) =>
  Effect.either(importer.read({ ...request, ...more }, {
    uptimerobot: `${at}/v3`,
    uptimerobotV2: `${at}/v2`,
    betterstack: at,
    statuspage: at,
    healthchecks: at
  })).pipe(
    Effect.provide(EgressGuard.Default({ allow: Either.getOrThrow(parseAllowList("127.0.0.0/8")), ...options }))
  )

const messageOf = (result: Either.Either<unknown, { readonly message: string }>) =>
  Either.match(result, { onLeft: ({ message }) => message, onRight: () => "read" })

describe("The key of an import", () => {
  for (const status of [301, 302, 303, 307, 308]) {
    it.scopedLive(`stays with its service when that redirects with ${status}: neither headers nor the form go elsewhere`, () =>
      Effect.gen(function*() {
        const elsewhere = yield* server((_, response) => json(response, { data: [], stat: "ok", monitors: [] }))
        const home = yield* server((path, response) =>
          // API v3 of UptimeRobot refuses the key, and v2 takes it in a form.
          path.pathname.startsWith("/v3")
            ? json(response, {}, 401)
            : void response.writeHead(status, { location: `${elsewhere.url}${path.pathname}` }).end()
        )
        for (const importer of [uptimerobot, betterstack, statuspage, healthchecks]) yield* read(importer, home.url)
        yield* read(healthchecks, publicSources.healthchecks, { url: home.url })
        expect(home.seen.map(({ text }) => text).join()).toContain(key)
        expect(elsewhere.seen.length).toBeGreaterThan(3)
        expect(elsewhere.seen.filter(({ text }) => text.includes(key))).toEqual([])
      }))
  }

  it.scopedLive("comes with no other origin's redirect back, and stays out of what an import says", () =>
    Effect.gen(function*() {
      const homes: Array<string> = []
      const elsewhere = yield* server((_, response) => void response.writeHead(302, { location: `${homes[0] ?? ""}/back` }).end())
      const home = yield* server((path, response) =>
        path.pathname === "/back"
          ? json(response, { error: `no such key: ${key}` }, 401)
          : void response.writeHead(302, { location: elsewhere.url }).end()
      )
      homes.push(home.url)
      const said = messageOf(yield* read(betterstack, home.url))
      expect(home.seen.filter(({ path }) => path === "/back").map(({ text }) => text.includes(key))).toEqual([false])
      expect(said).toContain("refuses the key (401)")
      expect(said).not.toContain(key)
    }))

  it.scopedLive("follows no link of a list to another host", () =>
    Effect.gen(function*() {
      const elsewhere = yield* server((_, response) => json(response, { data: [] }))
      const home = yield* server((path, response) =>
        json(
          response,
          path.searchParams.has("cursor") || path.searchParams.get("page") === "2" ? { data: [] } : {
            data: [],
            nextLink: `${elsewhere.url}/v3/monitors?cursor=7`,
            pagination: { next: `${elsewhere.url}/api/v2/monitors?page=2` }
          }
        )
      )
      yield* read(uptimerobot, home.url)
      yield* read(betterstack, home.url)
      expect(elsewhere.seen).toEqual([])
      expect(home.seen.map(({ path }) => path)).toEqual(
        expect.arrayContaining(["/v3/monitors?cursor=7", "/api/v2/monitors?page=2"])
      )
    }))
})

describe("An import reaches no private address", () => {
  it.scopedLive("by its URL, by a redirect of its source, or by a name that leads there later", () =>
    Effect.gen(function*() {
      const inner = yield* server((_, response) => json(response, { page: { id: "p" }, components: [] }))
      const { port } = new URL(inner.url)
      const outer = yield* server((path, response) => {
        const to = path.pathname.startsWith("/api") ? `http://rebound.test:${port}/` : `${inner.url}/`
        response.writeHead(302, { location: to }).end()
      }, "127.0.0.2")
      let asked = 0
      const options: Partial<EgressOptions> = {
        allow: Either.getOrThrow(parseAllowList("127.0.0.2")),
        // Public the first time, and private afterwards.
        resolve: (host, done) =>
          done(null, [{ address: host === "moves.test" && asked++ === 0 ? "127.0.0.2" : "127.0.0.1", family: 4 }])
      }
      const urls = [
        inner.url,
        `http://2130706433:${port}`,
        `http://[::ffff:127.0.0.1]:${port}`,
        `http://rebound.test:${port}`,
        outer.url,
        `http://moves.test:${new URL(outer.url).port}`
      ]
      for (const url of urls) {
        const said = messageOf(yield* read(statuspage, url, { apiKey: null, url, patience: 0 }, options))
        expect([url, said]).toEqual([url, expect.stringContaining("is not a public address")])
        yield* read(healthchecks, url, { url, patience: 0 }, options)
      }
      expect(inner.seen).toEqual([])
    }), 60_000)
})

describe("An import ends", () => {
  it.scopedLive("at a list whose pages lead round in a circle, or come again", () =>
    Effect.gen(function*() {
      const circle = yield* server((path, response) =>
        json(response, {
          data: [{ id: 1 }],
          nextLink: `/v3?cursor=${path.searchParams.get("cursor") === "a" ? "b" : "a"}`,
          pagination: { next: path.pathname + (path.searchParams.get("page") === "1" ? "?page=2" : "?page=1") }
        })
      )
      yield* read(uptimerobot, circle.url)
      yield* read(betterstack, circle.url, { wants: { ...request.wants, pages: false } })
      expect(circle.seen.length).toBeLessThan(40)
      const same = yield* server((_, response) =>
        json(response, Array.from({ length: 100 }, (_unused, id) => ({ id: `p${id}` })))
      )
      yield* read(statuspage, same.url, { pageId: "p", wants: { ...request.wants, incidents: false } })
      expect(same.seen.length).toBeLessThan(12)
    }), 60_000)

  it.scopedLive("at 64 MiB of pages that never end", () =>
    Effect.gen(function*() {
      const filler = "x".repeat(7 * 1_048_576)
      const endless = yield* server((_, response, seen) =>
        json(response, { data: [], filler, nextLink: `/v3?cursor=${seen.length}` })
      )
      expect(messageOf(yield* read(uptimerobot, endless.url))).toContain("it holds more than 64 MiB")
      expect(endless.seen.length).toBeLessThan(12)
    }), 60_000)

  it.scopedLive("at an answer that unpacks to far more than it is", () =>
    Effect.gen(function*() {
      const bomb = gzipSync(`{"data": "${"0".repeat(200 * 1_048_576)}"}`, { level: 9 })
      expect(bomb.length).toBeLessThan(1_048_576)
      const source = yield* server((_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(bomb))
      const before = process.memoryUsage().rss
      expect(messageOf(yield* read(betterstack, source.url))).toContain("did not answer with JSON")
      expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1_048_576)
    }), 60_000)

  it.scopedLive("at a source that asks for no pause, or for one in the past, again and again", () =>
    Effect.gen(function*() {
      for (const retryAfter of ["0", "Thu, 01 Jan 1970 00:00:00 GMT"]) {
        const busy = yield* server((_, response) => void response.writeHead(429, { "retry-after": retryAfter }).end())
        expect(messageOf(yield* read(betterstack, busy.url))).toContain("limits how often it can be asked")
        expect(busy.seen.length).toBeLessThan(5)
      }
    }), 30_000)

  it.scopedLive("at redirects that never end", () =>
    Effect.gen(function*() {
      const endless = yield* server((_, response, seen) => void response.writeHead(302, { location: `/${seen.length}` }).end())
      expect(messageOf(yield* read(betterstack, endless.url))).toContain("redirects without end")
      expect(endless.seen.length).toBeLessThan(5)
    }))
})
