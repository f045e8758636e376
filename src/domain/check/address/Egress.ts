/** Which addresses a tenant's request may reach: public ones, and those that the operator allows (BELLTOWER_ALLOW_TARGETS). */
import { Either } from "effect"
import ipaddr from "ipaddr.js"
import { isPlatform } from "./PlatformAddresses.ts"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The ranges that the operator allows. */
export type AllowList = ReadonlyArray<readonly [Address, number]>

const v4Of = (bytes: ReadonlyArray<number>): Address => ipaddr.fromByteArray([...bytes])

/**
 * The IPv4 address inside a transition address: IPv4-mapped (RFC 4291), NAT64 (RFC 6052) or 6to4 (RFC 3056). Any other
 * address is returned unchanged.
 */
const destination = (address: Address): Address => {
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

/** Whether a textual IP address is in one of the ranges. */
export const isWithin = (ranges: AllowList, address: string): boolean => {
  const literal = read(address)
  return literal !== null && ranges.some((range) => within(literal, range))
}

/** Whether a request may connect to a textual IP address. */
export const mayReach = (allow: AllowList, address: string): boolean => {
  const literal = read(address)
  if (literal === null) return false
  const target = destination(literal)
  return (isGlobal(target) && !isPlatform(target)) || allow.some((range) => within(target, range) || within(literal, range))
}

/** Whether a textual IP address is on the public internet; false for text that is not an address. */
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
export const parseAllowList = (text: string): Either.Either<AllowList, string> =>
  Either.all(text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "").map(parseEntry))
