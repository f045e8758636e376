/** Which hosts are private as they are written: an address in any spelling, or a name of the machine itself. DNS decides about others. */
import { type AllowList, mayReach } from "./Egress.ts"

/** As URLs write it: lower case, IPv4 in four decimal parts whatever the spelling, IPv6 without brackets, no final dot. */
const canonical = (host: string): string | null => {
  const url = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}/`
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "") : null
}

const isAddress = (host: string): boolean => host.includes(":") || /^[\d.]+$/.test(host)

const isLoopbackName = (host: string): boolean => /(?:^|\.)localhost(?:\.localdomain)?$/.test(host)

const loopback = ["127.0.0.1", "::1"]

/** The private host that a text names, as it is read; null if it names a public or an allowed one, or only DNS can tell. */
export const privateHost = (allow: AllowList, text: string): string | null => {
  const host = canonical(text)
  if (host === null) return null
  if (isAddress(host)) return mayReach(allow, host) ? null : host
  return isLoopbackName(host) && !loopback.some((address) => mayReach(allow, address)) ? host : null
}
