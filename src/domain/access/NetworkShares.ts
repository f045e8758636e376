/** The networks around a client's address: who has many addresses, has few networks. */
import ipaddr from "ipaddr.js"

interface NetworkShare {
  /** In CIDR notation. */
  readonly network: string
  /** How many addresses' worth its addresses may use together. */
  readonly addresses: number
}

/**
 * Prefix lengths, narrow to wide. An IPv6 customer gets a /64 up to a /48, a provider a /32, and for IPv4 a /24 is the least that is
 * announced by itself. Offices and providers that hide customers behind shared addresses stay below: new workspaces are rare.
 */
const around = {
  ipv4: [[24, 4], [16, 20]],
  ipv6: [[56, 2], [48, 4], [32, 20]]
} as const

const networkOf = (address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string => {
  const bytes = address.toByteArray()
  const kept = bytes.map((byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - at * 8))))
  return `${ipaddr.fromByteArray(kept).toString()}/${bits}`
}

/** The widest network around a client: what many addresses of one provider have in common. */
export const widestNetwork = (client: string): string => networksAround(client).at(-1)?.network ?? client

/** `client` is an IPv4 address or the /64 network of an IPv6 one (`clientNetwork`); none for anything else. */
export const networksAround = (client: string): ReadonlyArray<NetworkShare> => {
  const text = client.replace(/\/64$/, "")
  if (!ipaddr.isValid(text)) return []
  const address = ipaddr.parse(text)
  return around[address.kind()].map(([bits, addresses]) => ({ network: networkOf(address, bits), addresses }))
}
