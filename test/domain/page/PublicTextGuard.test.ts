import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { publicTextRefusals } from "../../../src/domain/page/PublicTextGuard.ts"

const none = { avoidTerms: [], confidential: [] }
const found = (text: string, policy: Parameters<typeof publicTextRefusals>[2] = none) =>
  publicTextRefusals("body", text, policy).map(({ message }) => message)

const clean = [
  "A deploy slowed checkouts down between 10:30 and 11:15 UTC. We have rolled it back.",
  "About 3.5% of payments failed, e.g. those with saved cards. Sorry!",
  "We doubled capacity (from 4 to 8 servers) and added an alarm; phase-2 follows on 2026-11-30.",
  "Errors rose to 12 per minute.",
  "一部のお支払いが遅延しました。復旧済みです。"
]

describe("The guard of public texts", () => {
  it.each(clean.map((text) => [text]))("accepts: %s", (text) => {
    expect(found(text)).toEqual([])
  })

  const secrets: ReadonlyArray<readonly [string, string]> = [
    ["The database db-1.prod.internal was full", "hostname"],
    ["See https://grafana/d/1 for details", "hostname"],
    ["db-prod-1 ran out of memory", "hostname"],
    ["redis:6379 refused connections", "hostname"],
    ["It listened on localhost only", "hostname"],
    ["Mail ops@acme.example about it", "hostname"],
    ["10.0.3.7 was unreachable", "IP address"],
    ["Its address (10.0.3.7:5432) was unreachable.", "IP address"],
    ["[2001:db8::7]:443 timed out", "IP address"],
    ["::1 was blocked", "IP address"],
    ["The whole 192.168.0.0/24 range was down", "IP address"],
    ["connect ECONNREFUSED was logged", "error output"],
    ["TypeError: x is undefined", "error output"],
    ["The proxy answered HTTP 503", "error output"],
    ["It failed with status code 500", "error output"],
    ["Traceback (most recent call last)", "error output"]
  ]
  it.each(secrets)("refuses: %s", (text, what) => {
    expect(found(text).join()).toContain(what)
  })

  it("refuses the terms that the page avoids, and texts of the failing check", () => {
    const policy = { avoidTerms: ["Outage ", ""], confidential: ["Expected status 200-299"] }
    expect(found("The OUTAGE is over: expected status 200-299 again", policy).join()).toMatch(/failing check.*avoids/s)
    expect(found("All good", policy)).toEqual([])
  })

  const address = fc.oneof(fc.ipV4(), fc.ipV6().filter((text) => text.length > 4), fc.domain())
  const around = fc.constantFrom(" ", ", ", "(", "\"", ". ", "\n", "‘")

  it.prop("finds an address or a hostname wherever it stands", [address, around, around], ([secret, before, after]) => {
    expect(found(`It was${before === ". " ? ". " : ` ${before}`}${secret}${after} that failed`)).not.toEqual([])
  })
})
