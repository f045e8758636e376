/** Targets that answered last time and have little in common: a probe tries to reach them to test its own connection. */
import { isIP } from "node:net"

export interface Endpoint {
  readonly host: string
  readonly port: number
}

interface Reference extends Endpoint {
  readonly address: string
  readonly workspaceId: string
}

/** Fewer independent targets prove nothing about the connection. */
const fewest = 3
/** Targets that one self-check tries to reach. */
const mostTried = 6
/** Remembered targets, each in a network of its own, and those of one workspace among them. */
const mostKept = 64
const mostOfOne = 8

/** The network of an address: /24 for IPv4, about a customer's /48 for IPv6. */
const networkOf = (address: string): string =>
  isIP(address) === 4 ? address.slice(0, address.lastIndexOf(".")) : address.split(":").slice(0, 3).join(":")

/** The last two labels of a name, which may be more than its registrable domain: then fewer targets count as independent. */
const siteOf = (host: string): string => isIP(host) === 0 ? host.toLowerCase().split(".").slice(-2).join(".") : networkOf(host)

export const makeUplinkReferences = <A>() => {
  const byNetwork = new Map<string, { readonly item: A; readonly reference: Reference }>()
  const networks = new Map<A, string>()
  const perWorkspace = new Map<string, number>()

  const count = (workspaceId: string, change: 1 | -1): void => {
    const left = (perWorkspace.get(workspaceId) ?? 0) + change
    if (left > 0) perWorkspace.set(workspaceId, left)
    else perWorkspace.delete(workspaceId)
  }

  const remove = (item: A): void => {
    const network = networks.get(item)
    if (network === undefined) return
    count(byNetwork.get(network)?.reference.workspaceId ?? "", -1)
    networks.delete(item)
    byNetwork.delete(network)
  }

  return {
    /** The target of an item answered from an address; null for a target that cannot be reached otherwise than by a check. */
    answered: (item: A, address: string, workspaceId: string, endpointOf: () => Endpoint | null): void => {
      const before = networks.get(item)
      if (before !== undefined && byNetwork.get(before)?.reference.address === address) return
      if (before !== undefined) remove(item)
      if (byNetwork.size >= mostKept || (perWorkspace.get(workspaceId) ?? 0) >= mostOfOne) return
      const network = networkOf(address)
      if (byNetwork.has(network)) return
      const endpoint = endpointOf()
      if (endpoint === null) return
      byNetwork.set(network, { item, reference: { ...endpoint, address, workspaceId } })
      networks.set(item, network)
      count(workspaceId, 1)
    },
    /** The target of an item does not answer any more, or nobody watches it. */
    remove,
    /** Independent targets to try, without that of `except` and those of `doubtful` last; empty if there are too few. */
    pick: (except: A | null, doubtful: ReadonlyArray<A> = []): ReadonlyArray<Endpoint> => {
      const doubted = new Set(doubtful)
      const all = [...byNetwork.values()].filter(({ item }) => item !== except)
      const ordered = [...all.filter(({ item }) => !doubted.has(item)), ...all.filter(({ item }) => doubted.has(item))]
      const bySite = new Map<string, Reference>()
      for (const { reference } of ordered) {
        const site = siteOf(reference.host)
        if (!bySite.has(site)) bySite.set(site, reference)
      }
      const independent = [...bySite.values()]
      if (independent.length < fewest) return []
      // Those of different workspaces first: one workspace must not decide what the others' checks are worth.
      const seen = new Set<string>()
      const firstOfEach = independent.filter(({ workspaceId }) => !seen.has(workspaceId) && seen.add(workspaceId))
      return [...new Set([...firstOfEach, ...independent])].slice(0, mostTried)
    }
  }
}
