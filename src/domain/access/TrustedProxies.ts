/** Whose word about a client's address is taken (BELLTOWER_TRUST_PROXY), and what the address then is. */
import { Either } from "effect"
import ipaddr from "ipaddr.js"
import { type AllowList, isWithin, parseAllowList } from "../check/Egress.ts"

/** The proxies before this process: by where they are, or just how many. No range at all is none. */
export type TrustedProxies =
  | { readonly _tag: "Ranges"; readonly ranges: AllowList }
  | { readonly _tag: "Hops"; readonly hops: number }

export const noProxies: TrustedProxies = { _tag: "Ranges", ranges: [] }

/** More would be a mistake. */
const maxHops = 10

const named: Readonly<Record<string, string>> = {
  loopback: "127.0.0.0/8,::1/128",
  private: "127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,169.254.0.0/16,fc00::/7,fe80::/10"
}

/**
 * Reads `loopback`, `private`, addresses and CIDR ranges, separated by commas; or a number of proxies, for hosts that do not
 * tell where theirs are. What is wrong is on the left.
 */
export const parseTrustedProxies = (text: string): Either.Either<TrustedProxies, string> => {
  if (/^\d+$/.test(text.trim())) {
    const hops = Number(text)
    return hops >= 1 && hops <= maxHops
      ? Either.right({ _tag: "Hops", hops })
      : Either.left(`"${text.trim()}" is no number of proxies from 1 to ${maxHops}`)
  }
  const entries = text.split(",").map((entry) => named[entry.trim()] ?? entry)
  return Either.mapBoth(parseAllowList(entries.join(",")), {
    onLeft: (why) => `${why}, nor loopback or private`,
    onRight: (ranges): TrustedProxies => ({ _tag: "Ranges", ranges })
  })
}

/** An address as X-Forwarded-For has it, also with a port; null for anything else. */
const addressOf = (entry: string): string | null => {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  return ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare) ? ipaddr.process(bare).toString() : null
}

/**
 * The client's address: of those that each hop has told of the one before it, the nearest that is no trusted proxy's. A
 * client can write whatever it likes into the header, but only to the left of that.
 *
 * @param peer the address that the connection comes from
 * @param forwardedFor the value of X-Forwarded-For, the nearest hop last
 */
export const clientBehind = (trusted: TrustedProxies, peer: string, forwardedFor: string): string => {
  const told = forwardedFor.split(",").map((entry) => addressOf(entry.trim())).reverse()
  let client = addressOf(peer) ?? peer
  for (const [hop, before] of told.entries()) {
    const believed = trusted._tag === "Hops" ? hop < trusted.hops : isWithin(trusted.ranges, client)
    if (!believed || before === null) return client
    client = before
  }
  return client
}
