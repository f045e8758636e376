/**
 * Addresses that look public but serve a cloud platform's metadata, credentials or private services to machines inside that
 * cloud. Platform addresses in private, link-local or shared ranges (169.254.169.254, 100.100.100.200, fd00:ec2::254 and
 * similar) are already blocked by their range.
 */
import ipaddr from "ipaddr.js"

/** One range and where its provider documents it. */
interface PlatformRange {
  readonly range: string
  readonly source: string
}

const platformRanges: ReadonlyArray<PlatformRange> = [
  { range: "168.63.129.16/32", source: "Azure: What is IP address 168.63.129.16 (WireServer, DNS, health probes)" },
  { range: "199.36.153.4/30", source: "Google Cloud VPC: Private Google Access, restricted.googleapis.com" },
  { range: "199.36.153.8/30", source: "Google Cloud VPC: Private Google Access, private.googleapis.com" },
  { range: "2600:2d00:2:1000::/64", source: "Google Cloud VPC: Private Google Access, restricted.googleapis.com over IPv6" },
  { range: "2600:2d00:2:2000::/64", source: "Google Cloud VPC: Private Google Access, private.googleapis.com over IPv6" },
  { range: "161.26.0.0/16", source: "IBM Cloud: IP address ranges, service network (DNS, NTP, mirrors)" },
  { range: "166.8.0.0/14", source: "IBM Cloud: IP address ranges, cloud service endpoints on the private network" },
  { range: "192.80.8.124/32", source: "Equinix Metal: Server metadata, metadata.platformequinix.com" }
]

const ranges = platformRanges.map(({ range }) => ipaddr.parseCIDR(range))

/** Whether an address belongs to a cloud platform's own services. */
export const isPlatform = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  ranges.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits))
