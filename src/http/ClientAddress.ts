/** Who a caller without a key is, for limits: the address that its connection comes from. */
import type { HttpServerRequest } from "@effect/platform"
import { Option } from "effect"
import ipaddr from "ipaddr.js"

/** An IPv6 customer has a whole /64 at hand, so that is one caller. */
const network = (address: ipaddr.IPv6): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.parts
  return `${[a, b, c, d].map((part) => part.toString(16)).join(":")}::/64`
}

const canonical = (text: string): string => {
  if (!ipaddr.isValid(text)) return text
  const address = ipaddr.process(text)
  return address instanceof ipaddr.IPv6 ? network(address) : address.toString()
}

/** The socket's address; a header that claims another is not believed. */
export const clientAddress = (request: HttpServerRequest.HttpServerRequest): string =>
  Option.match(request.remoteAddress, { onNone: () => "unknown", onSome: canonical })
