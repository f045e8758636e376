/**
 * Who may reach an endpoint: clients by a name of this service, and pages of other origins only with a key of their own, or
 * where no key is ever needed.
 * A page that rebinds its own name to this address is the attack (MCP, Transports, Security Warning): its browser sends the
 * page's name as Host. A Host that is an address cannot have been rebound.
 */
import type { HttpServerRequest } from "@effect/platform"
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"
import ipaddr from "ipaddr.js"
import { BadRequest, Forbidden } from "../../schema/Errors.ts"

type Request = HttpServerRequest.HttpServerRequest

const hostname = (authority: string): string | null =>
  URL.canParse(`http://${authority}`) ? new URL(`http://${authority}`).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "") : null

const isLocal = (name: string) =>
  name === "localhost" || name.endsWith(".localhost") || (ipaddr.isValid(name) && ipaddr.process(name).range() === "loopback")

const matches = (allowed: string, name: string) => allowed.startsWith("*.") ? name.endsWith(allowed.slice(1)) : name === allowed

const strangeHost = (name: string | null) =>
  new Forbidden({
    message: `This MCP endpoint is not served at ${name === null ? "such a Host" : name.slice(0, 253)}`,
    hint: "Connect by the address of BELLTOWER_URL, or add the name to BELLTOWER_ALLOWED_HOSTS"
  })

const foreignPage = new Forbidden({
  message: "A page of another origin needs an API key here",
  hint: "Send it as the header: Authorization: Bearer bell_live_..."
})

/** Whose pages may call without a key: this service's own, or any, as they may the interface's public operations. */
export type KeylessPages = "own" | "any"

/** Lets a request pass or fails. `allowedHosts` are names, `*.name` or `*`; that of `baseUrl` is always one. */
export const makeGuard = (baseUrl: string, allowedHosts: ReadonlyArray<string>, keylessPages: KeylessPages) => {
  const names = [new URL(baseUrl).hostname, ...allowedHosts.map((name) => name.toLowerCase())]
  // That any name may lead here says nothing of whose page it is.
  const isNamed = (name: string) => isLocal(name) || names.some((allowed) => allowed !== "*" && matches(allowed, name))
  const isServed = (name: string) => names.includes("*") || ipaddr.isValid(name) || isNamed(name)

  const isOwnPage = (origin: string, host: string) => {
    const page = URL.canParse(origin) ? hostname(new URL(origin).host) : null
    return page !== null && (page === host || isNamed(page))
  }

  return Effect.fn("Guard.pass")(function*({ headers }: Request) {
    const host = hostname(headers["host"] ?? "")
    if (host === null || !isServed(host)) return yield* strangeHost(host)
    const origin = headers["origin"]
    const hasKey = (headers["authorization"] ?? "").trim() !== ""
    if (origin !== undefined && keylessPages === "own" && !hasKey && !isOwnPage(origin, host)) return yield* foreignPage
  })
}

/** Refuses a protocol version that this server does not speak; without the header the transport assumes one. */
export const spokenVersion = Effect.fn("Guard.spokenVersion")(function*({ headers }: Request) {
  const version = headers["mcp-protocol-version"]
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return
  return yield* new BadRequest({
    message: `MCP-Protocol-Version ${version.slice(0, 40)} is not supported`,
    hint: `Send one of ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")}`
  })
})
