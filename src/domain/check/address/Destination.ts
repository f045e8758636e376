/** The destination of a connection, as limits by address count it. */
import ipaddr from "ipaddr.js"
import { destination } from "./Egress.ts"

export interface Destination {
  /** One spelling for each destination. */
  readonly address: string
  /** The first 24 bits of an IPv4 address, the first 64 of an IPv6 address. */
  readonly network: string
}

const fourParts = /^\d{1,3}(?:\.\d{1,3}){3}$/

const ofFourParts = (address: string): Destination => ({ address, network: address.slice(0, address.lastIndexOf(".")) })

/** An IPv6 address that leads to an IPv4 one counts as that. A text that is no address is a destination of its own. */
export const destinationOf = (text: string): Destination => {
  if (fourParts.test(text)) return ofFourParts(text)
  if (!ipaddr.IPv6.isValid(text)) return { address: text, network: text }
  const target = destination(ipaddr.IPv6.parse(text))
  return "parts" in target
    ? { address: target.toNormalizedString(), network: target.parts.slice(0, 4).join(":") }
    : ofFourParts(target.toString())
}
