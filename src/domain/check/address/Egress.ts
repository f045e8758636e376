/** The addresses that a tenant's request may reach: public ones, and those that the operator allows (BELLTOWER_ALLOW_TARGETS). */
import { Either } from "effect"
import ipaddr from "ipaddr.js"
import { parsedUrl } from "../../../../schema/UrlText.ts"
import { commaList } from "../../tools/text/CommaList.ts"

/**
 * Addresses that look public but serve a cloud platform's metadata, credentials or private services to its machines, each with where
 * its provider documents it. Those in private, link-local or shared ranges, such as 169.254.169.254, are blocked by their range.
 */
const platformRanges = [
  { range: "168.63.129.16/32", source: "Azure: What is IP address 168.63.129.16 (WireServer, DNS, health probes)" },
  { range: "199.36.153.4/30", source: "Google Cloud VPC: Private Google Access, restricted.googleapis.com" },
  { range: "199.36.153.8/30", source: "Google Cloud VPC: Private Google Access, private.googleapis.com" },
  { range: "2600:2d00:2:1000::/64", source: "Google Cloud VPC: Private Google Access, restricted.googleapis.com over IPv6" },
  { range: "2600:2d00:2:2000::/64", source: "Google Cloud VPC: Private Google Access, private.googleapis.com over IPv6" },
  { range: "161.26.0.0/16", source: "IBM Cloud: IP address ranges, service network (DNS, NTP, mirrors)" },
  { range: "166.8.0.0/14", source: "IBM Cloud: IP address ranges, cloud service endpoints on the private network" },
  { range: "192.80.8.124/32", source: "Equinix Metal: Server metadata, metadata.platformequinix.com" }
]

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The ranges that the operator allows. */
export type AllowList = ReadonlyArray<readonly [Address, number]>

/** For addresses that the operator names. */
export const everyAddress: AllowList = [[ipaddr.parse("0.0.0.0"), 0], [ipaddr.parse("::"), 0]]

const v4Of = (bytes: ReadonlyArray<number>): Address => ipaddr.fromByteArray([...bytes])

/** The IPv4 address inside an IPv4-mapped (RFC 4291), NAT64 (RFC 6052) or 6to4 address (RFC 3056); any other address unchanged. */
export const destination = (address: Address): Address => {
  if (!("parts" in address)) return address
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === "ipv4Mapped" || (range === "rfc6052" && address.parts[2] === 0)) return v4Of(bytes.slice(12))
  return range === "6to4" ? v4Of(bytes.slice(2, 6)) : address
}

/** Only 2000::/3 of IPv6 is assigned for global unicast (RFC 4291); ipaddr.js names the special ranges inside it. */
const isGlobal = (address: Address): boolean =>
  address.range() === "unicast" && (!("parts" in address) || ((address.parts[0] ?? 0) & 0xe000) === 0x2000)

/** Accepts standard notation only, not the short and octal forms of old C libraries. */
const read = (text: string): Address | null =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text) ? ipaddr.parse(text) : null

const within = (address: Address, [network, bits]: readonly [Address, number]): boolean =>
  address.kind() === network.kind() && address.match(network, bits)

const platforms = platformRanges.map(({ range }) => ipaddr.parseCIDR(range))

export const isWithin = (ranges: AllowList, address: string): boolean => {
  const literal = read(address)
  return literal !== null && ranges.some((range) => within(literal, range))
}

/** True if a request may connect to a textual IP address. */
export const mayReach = (allow: AllowList, address: string): boolean => {
  const literal = read(address)
  if (literal === null) return false
  const target = destination(literal)
  return (isGlobal(target) && !platforms.some((range) => within(target, range))) ||
    allow.some((range) => within(target, range) || within(literal, range))
}

/** True if a textual IP address is on the public internet; false for text that is not an address. */
export const isPublic = (address: string): boolean => mayReach([], address)

const parseEntry = (entry: string): Either.Either<readonly [Address, number], string> => {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(entry) || ipaddr.IPv6.isValidCIDR(entry)) {
    return Either.right(ipaddr.parseCIDR(entry))
  }
  if (ipaddr.IPv4.isValidFourPartDecimal(entry)) return Either.right([ipaddr.parse(entry), 32])
  if (ipaddr.IPv6.isValid(entry)) return Either.right([ipaddr.parse(entry), 128])
  return Either.left(`"${entry}" is neither an IP address nor a range such as 10.0.0.0/8`)
}

/** Parses comma-separated addresses and CIDR ranges; the left side names the first invalid entry. */
export const parseAllowList = (text: string): Either.Either<AllowList, string> => Either.all(commaList(text).map(parseEntry))

/** The ranges that the operator allows: those of all workspaces, and those of single ones beside them. */
interface AllowedTargets {
  readonly forAll: AllowList
  readonly byWorkspace: ReadonlyMap<string, AllowList>
}

export const noTargets: AllowedTargets = { forAll: [], byWorkspace: new Map() }

/** In full: an entry for an id with a missing letter would open nothing. */
const workspaceId = /^ws_[0-9a-hjkmnp-tv-z]{26}$/

/** Parses the same, where an entry that begins with the id of a workspace and `=` is for that workspace alone. */
export const parseAllowedTargets = (text: string): Either.Either<AllowedTargets, string> =>
  Either.gen(function*() {
    const forAll: Array<AllowList[number]> = []
    const byWorkspace = new Map<string, AllowList>()
    for (const entry of commaList(text)) {
      const at = entry.indexOf("=")
      const owner = entry.slice(0, Math.max(at, 0)).trim()
      const ranges = yield* parseAllowList(entry.slice(at + 1))
      if (at >= 0 && !workspaceId.test(owner)) {
        return yield* Either.left(`"${owner}" is not the id of a workspace, such as ws_...`)
      }
      if (at >= 0 && ranges.length === 0) return yield* Either.left(`"${entry}" names no range`)
      if (at < 0) forAll.push(...ranges)
      else byWorkspace.set(owner, [...(byWorkspace.get(owner) ?? []), ...ranges])
    }
    return { forAll, byWorkspace }
  })

/** As URLs write it: lower case, IPv4 in four decimal parts whatever the spelling, IPv6 without brackets, no final dot. */
const canonical = (host: string): string | null => {
  const url = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}/`
  return parsedUrl(url)?.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "") ?? null
}

const isLoopbackName = (host: string): boolean => /(?:^|\.)localhost(?:\.localdomain)?$/.test(host)

const loopback = ["127.0.0.1", "::1"]

/** The private host that a text names, as it is read; null if it names a public or an allowed one, or only DNS can tell. */
export const privateHost = (allow: AllowList, text: string): string | null => {
  const host = canonical(text)
  if (host === null) return null
  if (/:|^[\d.]+$/.test(host)) return mayReach(allow, host) ? null : host
  return isLoopbackName(host) && !loopback.some((address) => mayReach(allow, address)) ? host : null
}
