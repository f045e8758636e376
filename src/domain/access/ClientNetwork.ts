/** The address by which callers without a key are counted: an IPv6 customer controls a whole /64, which counts as one caller. */
import ipaddr from "ipaddr.js"
import { isIPv4 } from "node:net"

const network = (address: ipaddr.IPv6): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.parts
  return `${[a, b, c, d].map((part) => part.toString(16)).join(":")}::/64`
}

export const clientNetwork = (text: string): string => {
  // The usual form, which is asked for with each request.
  if (isIPv4(text)) return text
  if (!ipaddr.isValid(text)) return text
  const address = ipaddr.process(text)
  return address instanceof ipaddr.IPv6 ? network(address) : address.toString()
}
