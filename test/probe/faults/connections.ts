/** Faults on the way to a target's answer: names, connections, certificates and redirects, with what is said of each. */
import { Effect } from "effect"
import * as faulty from "../../support/targets/FaultyTargets.ts"
import { certificates, type Fault } from "../../support/targets/FaultyTargets.ts"

const head = "HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n"
const at = (url: string): faulty.Faulty => Effect.succeed(url)
export const redirectFaults: ReadonlyArray<Fault> = [
  [
    "redirect to a closed port",
    faulty.redirectTo(faulty.closed),
    "down",
    "connect_refused",
    "The connection to 127.0.0.1:<port> was refused, after the redirect from <url>"
  ],
  [
    "redirect loop",
    faulty.redirects((path) => path === "/a" ? "/b" : "/a", "/start"),
    "down",
    "redirect_limit",
    "Redirect loop: http://127.0.0.1:<port>/b, http://127.0.0.1:<port>/a, http://127.0.0.1:<port>/b"
  ],
  ["redirect to itself", faulty.redirects((path) => path, "/"), "down", "redirect_limit", "Redirect loop: <url>, <url>"],
  [
    "redirects without end",
    faulty.redirects((path) => `/${Number(path.slice(1)) + 1}`, "/0"),
    "down",
    "redirect_limit",
    "More than 10 redirects, the last from http://127.0.0.1:<port>/10"
  ],
  [
    "redirect into the network",
    faulty.status(302, "", { location: "http://169.254.169.254/" }),
    "down",
    "blocked_target",
    "169.254.169.254 is not a public address, after the redirect from <url>; to allow it, add it to BELLTOWER_ALLOW_TARGETS"
  ],
  [
    "redirect to a name that is gone",
    faulty.status(302, "", { location: "http://missing.example/" }),
    "down",
    "dns_error",
    "missing.example has no address in DNS (ENOTFOUND), after the redirect from <url>"
  ],
  [
    "redirect to another protocol",
    faulty.status(302, "", { location: "ftp://files.example/" }),
    "down",
    "protocol_error",
    "Redirected to ftp:, but only http: and https: are followed"
  ],
  ["redirect to nowhere", faulty.status(302), "down", "status", "Expected status 200-299, got 302 Found"]
]

export const connectionFaults: ReadonlyArray<Fault> = [
  ["closed port", faulty.closed, "down", "connect_refused", "The connection to 127.0.0.1:<port> was refused"],
  [
    "name that does not exist",
    at("http://missing.example/"),
    "down",
    "dns_error",
    "missing.example has no address in DNS (ENOTFOUND)"
  ],
  [
    "name server that fails",
    at("http://broken.example/"),
    "down",
    "dns_error",
    "The DNS lookup of broken.example failed (ESERVFAIL)"
  ],
  ["name without addresses", at("http://empty.example/"), "down", "dns_error", "empty.example has no address in DNS (ENODATA)"],
  [
    "name that points into the network",
    at("http://inside.example/"),
    "down",
    "blocked_target",
    "inside.example (10.0.0.8) is not a public address; to allow it, add it to BELLTOWER_ALLOW_TARGETS"
  ],
  [
    "closed before the answer",
    faulty.socket((one) => one.once("data", () => one.end())),
    "down",
    "protocol_error",
    "The connection was closed before a response arrived"
  ],
  ["reset before the answer", faulty.reset(""), "down", "protocol_error", "The connection was reset before a response arrived"],
  [
    "closed within the headers",
    faulty.bytes("HTTP/1.1 200 OK\r\nx: y\r\n"),
    "down",
    "protocol_error",
    "The connection was closed before the response headers were complete, after 23 bytes"
  ],
  [
    "reset after the headers",
    faulty.reset(head),
    "down",
    "protocol_error",
    "The connection was reset after the response headers, before the body"
  ],
  [
    "truncated",
    faulty.bytes(head + "x".repeat(81)),
    "down",
    "protocol_error",
    "The connection was closed before the body was complete: got 81 of 5,000 bytes"
  ],
  [
    "truncated chunks",
    faulty.bytes("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nA\r\n01234"),
    "down",
    "protocol_error",
    "The connection was closed before the body was complete: got 5 bytes"
  ],
  [
    "certificate expired",
    faulty.https(certificates.expired),
    "down",
    "tls_error",
    "The TLS certificate of 127.0.0.1 expired on <date>"
  ],
  [
    "certificate of another host",
    faulty.https(certificates.wrongHost),
    "down",
    "tls_error",
    "The TLS certificate is not for 127.0.0.1; it is for other.example"
  ],
  [
    "certificate signed by itself",
    faulty.https(certificates.selfSigned),
    "down",
    "tls_error",
    "The TLS certificate of 127.0.0.1 is self-signed"
  ],
  [
    "certificate that expires soon",
    faulty.https(certificates.expiring),
    "degraded",
    "ssl_expiry",
    "The TLS certificate of 127.0.0.1 expires on <date>, in 5 days; expected more than 14",
    { sslExpiryDays: 14 }
  ],
  [
    "expired issuer soon",
    faulty.https(certificates.expiringIssuer),
    "degraded",
    "ssl_expiry",
    "The certificate \"CN=Intermediate\" in the TLS chain of 127.0.0.1 expires on <date>, in 2 days; expected more than 14",
    { sslExpiryDays: 14 }
  ]
]

/** They run at the same time, because each takes its whole timeout. */
export const silences: ReadonlyArray<Fault> = [
  ["hang", faulty.silent, "down", "timeout", "Connected, but no response within 1500 ms"],
  [
    "hang within the headers",
    faulty.stuck("HTTP/1.1 200"),
    "down",
    "timeout",
    "The response headers were incomplete after 1500 ms: 12 bytes arrived"
  ],
  [
    "hang after the headers",
    faulty.stuck(head),
    "down",
    "timeout",
    "The response body did not complete within 1500 ms: 0 of 5,000 bytes arrived"
  ],
  [
    "drip",
    faulty.stuck(`${head}twelve bytes`),
    "down",
    "timeout",
    "The response body did not complete within 1500 ms: 12 of 5,000 bytes arrived"
  ],
  [
    "drip without a length",
    faulty.stuck("HTTP/1.1 200 OK\r\n\r\ntwelve bytes"),
    "down",
    "timeout",
    "The response body did not complete within 1500 ms: 12 bytes arrived",
    { keyword: "thirteen" }
  ],
  [
    "hang within the TLS handshake",
    faulty.silentTls,
    "down",
    "timeout",
    "The TLS handshake with 127.0.0.1 did not complete within 1500 ms"
  ],
  [
    "hang after a redirect",
    faulty.redirectTo(faulty.silent),
    "down",
    "timeout",
    "Connected, but no response within 1500 ms, after the redirect from <url>"
  ],
  [
    "name server that is silent",
    at("http://silent.example/"),
    "down",
    "dns_error",
    "The DNS lookup of silent.example took longer than 1500 ms"
  ]
]
