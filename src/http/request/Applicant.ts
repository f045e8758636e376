/** Reads who asks for a workspace: from where, and whether a page of another site is behind it. */
import type { HttpServerRequest } from "@effect/platform"
import { Effect, Option } from "effect"
import ipaddr from "ipaddr.js"
import type { Applicant } from "../../domain/access/Registration.ts"
import { makeServedHosts } from "../../domain/access/ServedHosts.ts"
import type { TrustedProxies } from "../../domain/access/TrustedProxies.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { clientAddress, Proxies } from "./ClientAddress.ts"
import { AllowedHosts, isForeign } from "./RequestSite.ts"

/** The headers that proxies add, and what a call inside the process takes over from its request to tell the client. */
const ofProxies = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"]
export const clientHeaders: ReadonlyArray<string> = [...ofProxies, "host", "user-agent"]

const isLoopback = (address: string) => ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback"

const hasProxies = (proxies: TrustedProxies) => proxies._tag === "Hops" || proxies.ranges.length > 0

/**
 * Makes the reader. A client is local if its connection is, no proxy is known, none has left a header, and it asked for a host of this
 * service: behind a proxy on this machine, everybody would be.
 */
export const makeApplicantOf = Effect.gen(function*() {
  const isProxied = hasProxies(yield* Proxies)
  const { serves } = makeServedHosts(yield* BaseUrl, yield* AllowedHosts)
  return (request: HttpServerRequest.HttpServerRequest): Applicant => {
    const { headers, remoteAddress } = request
    return {
      address: clientAddress(request),
      isForeign: isForeign(request),
      isLocal: !isProxied && Option.exists(remoteAddress, isLoopback) && serves(headers["host"]) &&
        !ofProxies.some((name) => name in headers)
    }
  }
})
