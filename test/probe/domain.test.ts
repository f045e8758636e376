/** The domain check against an RDAP double: a bootstrap registry (RFC 9224) and a registry (RFC 9083). */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { ServerResponse } from "node:http"
import { readBootstrap, readDomain, registryOf } from "../../src/domain/check/answer/DomainVerdict.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { httpTarget, probing, tcpTarget } from "../support/targets/LocalTargets.ts"

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

const lookAt = (host: string, expiryDays = 30) => probeOnce(assignmentTo({ kind: "domain", host, expiryDays }))

const registered = (expiry: string | null, status: ReadonlyArray<string> = ["active"]) => ({
  objectClassName: "domain",
  status,
  events: [
    { eventAction: "registration", eventDate: "1995-08-14T04:00:00Z" },
    ...(expiry === null ? [] : [{ eventAction: "expiration", eventDate: expiry }])
  ]
})

/** A registry and its bootstrap document; `asked` collects the paths of the requests. */
const registry = (answers: Readonly<Record<string, object>>) =>
  Effect.gen(function*() {
    const asked: Array<string> = []
    let isAway = false
    const rdap = (response: ServerResponse, body: object) =>
      response.writeHead(200, { "content-type": "application/rdap+json" }).end(JSON.stringify(body))
    const url = yield* httpTarget((request, response) => {
      const path = request.url ?? ""
      asked.push(path)
      if (path === "/dns.json") {
        return rdap(response, {
          version: "1.0",
          services: [[["test", "co.example"], [`http://${request.headers.host}/rdap`]], [["empty"], []]]
        })
      }
      const answer = answers[path.replace("/rdap/domain/", "")]
      if (isAway) return response.writeHead(429).end()
      return answer === undefined ? response.writeHead(404).end("{}") : rdap(response, answer)
    })
    return {
      url,
      asked,
      leave: () => {
        isAway = true
      }
    }
  })

describe("a domain check", () => {
  it.scopedLive("reads from the registry when a registration ends", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* registry({
        "good.test": registered(inDays(200)),
        "soon.test": registered(inDays(10.5)),
        "over.test": registered(inDays(-3)),
        "lapsing.test": registered(inDays(300), ["active", "redemption period"]),
        "held.test": registered(inDays(364), ["auto renew period", "client hold"]),
        "deleted.test": registered(inDays(300), ["pendingDelete"]),
        "silent.test": registered(null),
        "redacted.test": { status: null, events: [{ eventAction: "expiration", eventDate: null }] },
        "partly.test": { status: null, events: [{ eventAction: null }, { eventAction: "expiration", eventDate: inDays(200) }] },
        "xn--bcher-kva.test": registered(inDays(100)),
        "shop.co.example": registered(inDays(100))
      })
      yield* Effect.gen(function*() {
        const good = yield* lookAt("good.test")
        expect(good).toMatchObject({ outcome: "up", error: null, statusCode: 200, latencyMs: expect.any(Number) })
        expect((yield* good.evidence)!).toMatchObject({
          request: { url: `${url}/rdap/domain/good.test` },
          body: expect.stringContaining("expiration")
        })
        expect(yield* lookAt("soon.test")).toMatchObject({
          outcome: "degraded",
          cause: "domain_expiry",
          error: expect.stringMatching(
            /^The registration of soon\.test expires on \d{4}-\d\d-\d\d, in 10 days; expected more than 30$/
          )
        })
        expect(yield* lookAt("soon.test", 7)).toMatchObject({ outcome: "up" })
        expect(yield* lookAt("over.test")).toMatchObject({
          outcome: "down",
          cause: "domain_expired",
          error: expect.stringMatching(/^The registration of over\.test expired on/)
        })
        expect(yield* lookAt("lapsing.test")).toMatchObject({ outcome: "down", cause: "domain_expired" })
        expect(yield* lookAt("held.test")).toMatchObject({
          outcome: "down",
          cause: "dns_error",
          error: "The registration of held.test is on hold (client hold), so its name does not resolve"
        })
        expect(yield* lookAt("deleted.test")).toMatchObject({ outcome: "down", cause: "domain_expired" })
        expect(yield* lookAt("gone.test")).toMatchObject({
          outcome: "down",
          error: "gone.test is not registered, or is not the name that was registered, such as example.com"
        })
        for (const host of ["silent.test", "redacted.test"]) {
          expect(yield* lookAt(host)).toMatchObject({
            outcome: "degraded",
            cause: "domain_unknown",
            error: `The registry does not publish when ${host} expires`
          })
        }
        expect(yield* lookAt("partly.test")).toMatchObject({ outcome: "up" })
        expect(yield* lookAt("bücher.test")).toMatchObject({ outcome: "up" })
        expect(yield* lookAt("shop.co.example")).toMatchObject({ outcome: "up" })
        expect(yield* lookAt("shop.other.example")).toMatchObject({
          outcome: "degraded",
          cause: "domain_unknown",
          error: "The expiry of shop.other.example is not known: the registry of .example offers no RDAP"
        })
      }).pipe(Effect.provide(probing({ rdapUrl: url })))
      // The bootstrap registry is read once, and so is each domain.
      expect(asked.filter((path) => path === "/dns.json")).toHaveLength(1)
      expect(asked.filter((path) => path.endsWith("/soon.test"))).toHaveLength(1)
    }))

  it.scopedLive("does not blame the domain while its registry cannot be asked", () =>
    Effect.gen(function*() {
      const { leave, url } = yield* registry({})
      leave()
      yield* Effect.gen(function*() {
        expect(yield* lookAt("good.test")).toMatchObject({
          outcome: "degraded",
          cause: "domain_unknown",
          error: "The expiry of good.test is not known: the registry answered with status 429"
        })
      }).pipe(Effect.provide(probing({ rdapUrl: url })))
      const closed = yield* Effect.scoped(tcpTarget(() => {}))
      const without = lookAt("good.test").pipe(Effect.provide(probing({ rdapUrl: `http://127.0.0.1:${closed}` })))
      expect(yield* without).toMatchObject({
        outcome: "degraded",
        cause: "domain_unknown",
        error: expect.stringContaining("was refused")
      })
      const odd = yield* httpTarget((_, response) => response.end("<html>"))
      expect(yield* lookAt("good.test").pipe(Effect.provide(probing({ rdapUrl: odd })))).toMatchObject({
        error: `The expiry of good.test is not known: ${odd}/dns.json cannot be read: it is no bootstrap registry`
      })
    }))

  it("finds the registry of the longest suffix, and takes any text", () => {
    const registries = new Map([["example", "https://one/"], ["co.example", "https://two/"]])
    expect(registryOf(registries, "Shop.CO.example")).toBe("https://two/")
    expect(registryOf(registries, "shop.example")).toBe("https://one/")
    expect(registryOf(registries, "example")).toBeNull()
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      readBootstrap(text)
      readDomain(text)
    }))
  })
})
