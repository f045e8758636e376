/** Faults of what a target answers, with what is said of each; and odd answers that are none. */
import * as faulty from "../../support/targets/FaultyTargets.ts"
import type { Fault } from "../../support/targets/FaultyTargets.ts"

const page = "<!doctype html><title>Sign in</title><h1>Welcome back</h1><p>Please sign in</p>"
const login = faulty.http((request, response) =>
  request.url === "/login" ? response.end(page) : response.writeHead(302, { location: "/login" }).end()
)

const json = { source: "json", path: "$.db", op: "eq", value: "ok" } as const

export const rightAnswers: ReadonlyArray<Fault> = [
  ["none", faulty.status(200, "fine"), "up", null, null],
  ["a slow answer without a limit", faulty.late(100), "up", null, null],
  ["a code that is expected", faulty.status(401), "up", null, null, { expectedStatus: "401" }],
  ["a login that the cookie of the first hop opens", faulty.consentWall, "up", null, null, { keyword: "Welcome" }],
  [
    "the same length twice",
    faulty.bytes("HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 4\r\n\r\nfine"),
    "up",
    null,
    null
  ],
  ["100 KB of headers", faulty.headersOf(100), "up", null, null],
  ["a compressed body", faulty.gzipped("fine"), "up", null, null, { keyword: "fine" }],
  ["a redirect that is not followed", faulty.status(302, "", { location: "/home" }), "up", null, null, {
    followRedirects: false,
    expectedStatus: "302"
  }],
  ["lines that end in LF", faulty.bytes("HTTP/1.1 200 OK\ncontent-length: 4\n\nfine"), "up", null, null, { keyword: "fine" }]
]

export const wrongAnswers: ReadonlyArray<Fault> = [
  [
    "503 of a proxy",
    faulty.status(503, "no healthy upstream\nretry"),
    "down",
    "status",
    "Expected status 200-299, got 503 Service Unavailable: no healthy upstream"
  ],
  [
    "500 with a page",
    faulty.status(500, page),
    "down",
    "status",
    "Expected status 200-299, got 500 Internal Server Error: Sign in"
  ],
  ["502 without a body", faulty.status(502), "down", "status", "Expected status 200-299, got 502 Bad Gateway"],
  [
    "404",
    faulty.status(404, "{\"error\":\"no route\"}"),
    "down",
    "status",
    "Expected status 200-299, got 404 Not Found: {\"error\":\"no route\"}"
  ],
  ["429", faulty.status(429, "slow down"), "down", "status", "Expected status 200-299, got 429 Too Many Requests: slow down"],
  [
    "a login that asks for a password",
    faulty.status(401, "token expired"),
    "down",
    "status",
    "Expected status 200-299, got 401 Unauthorized: token expired"
  ],
  [
    "503 after a redirect",
    faulty.redirectTo(faulty.status(503, "maintenance")),
    "down",
    "status",
    "Expected status 200-299, got 503 Service Unavailable from http://127.0.0.1:<port>/: maintenance"
  ],
  ["a code that nobody knows", faulty.status(599), "down", "status", "Expected status 200-299, got 599 unknown"],
  [
    "keyword missing",
    faulty.status(200, "Out of order"),
    "down",
    "keyword",
    "Expected the body to contain \"Checkout\", but it does not (begins \"Out of order\")",
    { keyword: "Checkout" }
  ],
  [
    "keyword missing after a redirect",
    login,
    "down",
    "keyword",
    "Expected the body to contain \"Dashboard\", but it does not (redirected to <url>login, title \"Sign in\", begins \"Welcome back Please sign in\")",
    { keyword: "Dashboard" }
  ],
  [
    "keyword missing in an empty body",
    faulty.status(200),
    "down",
    "keyword",
    "Expected the body to contain \"Checkout\", but it does not (the body is empty)",
    { keyword: "Checkout" }
  ],
  [
    "a forbidden keyword",
    faulty.status(200, "Fatal error"),
    "down",
    "keyword",
    "Expected the body not to contain \"Fatal error\", but it does",
    { keywordAbsent: "Fatal error" }
  ],
  [
    "a body too large to search",
    faulty.status(200, "x".repeat(1_100_000)),
    "down",
    "body_too_large",
    "The body is larger than 1 MiB, and its first 1 MiB does not show whether it contains \"end\"",
    { keyword: "end" }
  ],
  [
    "a wrong value in JSON",
    faulty.status(200, "{\"db\":\"down\"}"),
    "down",
    "assertion",
    "Expected JSON $.db to equal ok, got down",
    { assertions: [json] }
  ],
  [
    "a page instead of JSON",
    faulty.status(200, page),
    "down",
    "assertion",
    "Expected JSON $.db to equal ok, but the body is not JSON (begins \"Welcome back Please sign in\")",
    { assertions: [json] }
  ],
  ["a soft assertion", faulty.status(200, "{}"), "degraded", "assertion", "Expected JSON $.db to equal ok, but it is missing", {
    assertions: [{ ...json, severity: "degraded" }]
  }],
  ["a slow answer", faulty.late(120), "degraded", "slow", "Expected a response within 50 ms, but it took <n> ms", {
    degradedAfterMs: 50
  }],
  [
    "a body that is declared gzip and is none",
    faulty.status(200, "plain", { "content-encoding": "gzip" }),
    "down",
    "protocol_error",
    "The body is not valid gzip data"
  ],
  [
    "two different lengths",
    faulty.bytes("HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nfine!"),
    "down",
    "protocol_error",
    "The response is not valid HTTP: it declares two lengths, Content-Length \"4\" and \"5\""
  ],
  ["300 KB of headers", faulty.headersOf(300), "down", "protocol_error", "The response headers are larger than 256 KiB"],
  [
    "SSH on an HTTP port",
    faulty.bytes("SSH-2.0-OpenSSH_9.7\r\n"),
    "down",
    "protocol_error",
    "Not HTTP: the response begins with \"SSH-2.0-OpenSSH_9.7\""
  ],
  [
    "bytes of no protocol",
    faulty.bytes(Buffer.from([0, 1, 2, 255, 13, 10])),
    "down",
    "protocol_error",
    "Not HTTP: the response begins with the bytes 00 01 02 ff 0d 0a"
  ],
  ["plain HTTP on a TLS port", faulty.plainOnTlsPort, "down", "tls_error", "The port does not speak TLS"],
  ["TLS on a plain port", faulty.tlsOnPlainPort, "down", "protocol_error", "The connection was closed before a response arrived"]
]
