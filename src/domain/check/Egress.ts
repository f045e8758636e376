/** Which addresses a tenant's request may reach: public ones, and those an operator allows (BELLTOWER_ALLOW_TARGETS). */
import { Either } from "effect"
import ipaddr from "ipaddr.js"
import { isPlatform } from "./PlatformAddresses.ts"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Ranges opened by the operator. */
export type AllowList = ReadonlyArray<readonly [Address, number]>

const v4Of = (bytes: ReadonlyArray<number>): Address => ipaddr.fromByteArray([...bytes])

/**
 * The IPv4 address that a transition address leads to, else the address itself: IPv4-mapped (RFC 4291), NAT64 (RFC 6052)
 * and 6to4 (RFC 3056).
 */
const destination = (address: Address): Address => {
  if (!("parts" in address)) return address
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === "ipv4Mapped" || (range === "rfc6052" && address.parts[2] === 0)) return v4Of(bytes.slice(12))
  return range === "6to4" ? v4Of(bytes.slice(2, 6)) : address
}

/** Of IPv6 only 2000::/3 is assigned for global unicast (RFC 4291); what is special within it has a range of its own. */
const isGlobal = (address: Address): boolean =>
  address.range() === "unicast" && (!("parts" in address) || ((address.parts[0] ?? 0) & 0xe000) === 0x2000)

/** An address in its usual form; the shortened and octal ones of old C libraries are none. */
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

/** Whether a textual IP address is on the public internet; a text that is no address is not. */
export const isPublic = (address: string): boolean => mayReach([], address)

const parseEntry = (entry: string): Either.Either<readonly [Address, number], string> => {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(entry) || ipaddr.IPv6.isValidCIDR(entry)) {
    return Either.right(ipaddr.parseCIDR(entry))
  }
  if (ipaddr.IPv4.isValidFourPartDecimal(entry)) return Either.right([ipaddr.parse(entry), 32])
  if (ipaddr.IPv6.isValid(entry)) return Either.right([ipaddr.parse(entry), 128])
  return Either.left(`"${entry}" is neither an IP address nor a range such as 10.0.0.0/8`)
}

/** Reads comma-separated addresses and CIDR ranges; the first wrong entry is named on the left. */
export const parseAllowList = (text: string): Either.Either<AllowList, string> =>
  Either.all(text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "").map(parseEntry))
