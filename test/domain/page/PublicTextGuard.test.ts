import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { publicTextRefusals } from "../../../src/domain/page/PublicTextGuard.ts"
import { callCounter } from "../../support/measure/WorkDone.ts"

const none = { avoidTerms: [], confidential: [] }
const found = (text: string, policy: Parameters<typeof publicTextRefusals>[2] = none) =>
  publicTextRefusals("body", text, policy).map(({ message }) => message)

const clean = [
  "A deploy slowed checkouts down between 10:30 and 11:15 UTC. We have rolled it back.",
  "About 3.5% of payments failed, e.g. those with saved cards. Sorry!",
  "We doubled capacity (from 4 to 8 servers) and added an alarm; phase-2 follows on 2026-11-30.",
  "Errors rose to 12 per minute.",
  "一部のお支払いが遅延しました。復旧済みです。",
  "Some requests were refused. Checkout was slow.",
  "We restored the connection, and error rates are back to normal.",
  "Connections to the shop timed out for some customers, and a few were refused.",
  "Payments failed at checkout (from 10:30 to 11:15), and 500 customers had to pay again.",
  "We found the error (a wrong setting) and fixed it. What we learned from the error: test more.",
  "A certificate had expired; we renewed it and now watch its date.",
  "Some pages were not found, and the service was unavailable for 12 minutes.",
  "All 410 gone parcels were found. We answered 500 questions.",
  "The app showed a wrong version number. A broken pipe in our data centre is repaired.",
  "Select a plan from the list, then update the app and set it up again.",
  "Orders from the table view are back. The exception was one shop in Athens."
]

/** As programs print them. */
const outputs = [
  "The check failed with 503 Service Unavailable",
  "Answered 500 Internal Server Error",
  "Got 502: bad gateway from the shop",
  "It said 404 - Not Found",
  "The proxy said 403 Forbidden",
  "**503** *Service Unavailable*",
  "The shop showed Bad Gateway",
  "Connection refused",
  "Connection timed out",
  "dial tcp: connect: connection refused",
  "read: connection reset by peer",
  "Connection reset while reading",
  "No route to host",
  "connect: network is unreachable",
  "Operation timed out",
  "Request timed out",
  "timeout of 10000ms exceeded",
  "context deadline exceeded",
  "socket hang up",
  "lookup shop: no such host",
  "Could not resolve host",
  "Temporary failure in name resolution",
  "DNS answered NXDOMAIN",
  "x509: certificate has expired or is not yet valid",
  "certificate verify failed",
  "CERT_HAS_EXPIRED was logged",
  "self-signed certificate",
  "error: relation \"users\" does not exist",
  "It failed with error: no rows",
  "Unknown column 'total' in 'field list'",
  "ORA-00942: table or view does not exist",
  "duplicate key value violates unique constraint",
  "syntax error at or near \"from\"",
  "deadlock detected",
  "SELECT id, total FROM orders",
  "ERROR 1045 (28000)",
  "NullPointerException in checkout",
  "at checkout.Basket.total(Basket.java:12)",
  "File \"/srv/shop/basket\", line 12",
  "Unhandled promise rejection",
  "ENOENT was logged",
  "No space left on device",
  "The pod was OOMKilled",
  "curl: (7) failed"
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

  it.each(outputs.map((text) => [text]))("refuses the output of a program: %s", (text) => {
    expect(found(text).join()).toContain("error output")
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

  const pieces = [
    "b ",
    "a\n",
    "*a ",
    "1.2.3.",
    "a.b.",
    "://",
    "[](",
    "`",
    "::",
    "1:",
    "- ",
    "# ",
    "a|b\n-|-\n",
    "ﷺ",
    "😀 ",
    " 。"
  ]

  it.scoped.each(pieces)(
    "takes little work for 10,000 characters of %j",
    (piece) =>
      Effect.gen(function*() {
        const callsOf = yield* callCounter
        const guard = (size: number) => Effect.sync(() => found(piece.repeat(size / piece.length)))
        yield* guard(200)
        // Reading Markdown takes the most of it; an error with its stack for each word would take twice as much.
        expect(yield* callsOf(guard(10_000))).toBeLessThan(350_000)
      })
  )

  it.scoped("asks the library of addresses only about what looks like an address", () =>
    Effect.gen(function*() {
      const callsOf = yield* callCounter
      const words = (size: number) =>
        Array.from({ length: size }, (_, index) => `w${index} ${index}:x ${index}.${index}`).join(" ")
      const guard = (size: number) => Effect.sync(() => found(words(size)))
      yield* guard(10)
      expect(yield* callsOf(guard(500))).toBeLessThan(100 * 500)
    }))
})
