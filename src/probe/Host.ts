/** The host of a check's target, as the per-host rate limit counts it. */

import type { ProbeTarget } from "../../schema/monitor/kinds.ts"
import { parsedUrl } from "../../schema/UrlText.ts"
import { lookupName } from "../domain/monitor/settings/HostSettings.ts"

const named = (host: string): string => (lookupName(host) ?? host).toLowerCase()

const nameOf = (url: string): string => parsedUrl(url)?.hostname ?? ""

/** The lower-case name of the host that gets the requests: of a dns monitor the resolver. Empty if the target has no host. */
export const hostOf = (target: ProbeTarget): string => {
  switch (target.kind) {
    case "script":
    case "browser":
      return ""
    case "http":
    case "manifest":
    case "websocket":
    case "mcp":
      return nameOf(target.url)
    case "tcp":
    case "grpc":
    case "ping":
      return named(target.host)
    case "domain":
      // All domains of a registry are asked about in one place.
      return `rdap.${named(target.host).split(".").at(-1)}`
    case "dns":
      return named(target.resolvers[0] ?? target.host)
  }
}
