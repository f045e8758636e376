/** The address of a client, which only trusted proxies may report (BELLTOWER_TRUST_PROXY), and the network that it counts for. */
import { Either } from "effect"
import ipaddr from "ipaddr.js"
import { isIPv4 } from "node:net"
import { type AllowList, isWithin, parseAllowList } from "../check/address/Egress.ts"

/** The proxies in front of this process, by address range or by number. An empty list of ranges trusts none. */
export type TrustedProxies =
  | { readonly _tag: "Ranges"; readonly ranges: AllowList }
  | { readonly _tag: "Hops"; readonly hops: number }

export const noProxies: TrustedProxies = { _tag: "Ranges", ranges: [] }

/** A larger number is probably a mistake. */
const maxHops = 10

const named: Readonly<Record<string, string>> = {
  loopback: "127.0.0.0/8,::1/128",
  private: "127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,169.254.0.0/16,fc00::/7,fe80::/10"
}

/** Parses `loopback`, `private`, addresses and CIDR ranges, separated by commas, or a number of proxies; the left side is the error. */
export const parseTrustedProxies = (text: string): Either.Either<TrustedProxies, string> => {
  if (/^\d+$/.test(text.trim())) {
    const hops = Number(text)
    return hops >= 1 && hops <= maxHops
      ? Either.right({ _tag: "Hops", hops })
      : Either.left(`"${text.trim()}" is not a number of proxies from 1 to ${maxHops}`)
  }
  const entries = text.split(",").map((entry) => named[entry.trim()] ?? entry)
  return Either.mapBoth(parseAllowList(entries.join(",")), {
    onLeft: (why) => `${why}, nor loopback or private`,
    onRight: (ranges): TrustedProxies => ({ _tag: "Ranges", ranges })
  })
}

/** An address from X-Forwarded-For, with or without a port; null for anything else. */
const addressOf = (entry: string): string | null => {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  return ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare) ? ipaddr.process(bare).toString() : null
}

/**
 * The client's address: the nearest hop that is not a trusted proxy. Clients can forge only entries to the left of it.
 *
 * @param peer the remote address of the connection
 * @param forwardedFor the value of X-Forwarded-For, nearest hop last
 */
export const clientBehind = (trusted: TrustedProxies, peer: string, forwardedFor: string): string => {
  const reported = forwardedFor.split(",").map((entry) => addressOf(entry.trim())).reverse()
  let client = addressOf(peer) ?? peer
  for (const [hop, before] of reported.entries()) {
    const isTrusted = trusted._tag === "Hops" ? hop < trusted.hops : isWithin(trusted.ranges, client)
    if (!isTrusted || before === null) return client
    client = before
  }
  return client
}

const network = (address: ipaddr.IPv6): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.parts
  return `${[a, b, c, d].map((part) => part.toString(16)).join(":")}::/64`
}

/** The address by which callers without a key are counted: an IPv6 customer has a whole /64, which counts as one caller. */
export const clientNetwork = (text: string): string => {
  // The usual form, which each request has, costs no parsing.
  if (isIPv4(text) || !ipaddr.isValid(text)) return text
  const address = ipaddr.process(text)
  return address instanceof ipaddr.IPv6 ? network(address) : address.toString()
}
