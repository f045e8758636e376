/** The permits of one check or delivery to connect to addresses: it waits for one at each, and further connections there are counted. */
import type { AddressLimit } from "./AddressLimit.ts"

/** Asked before each connection. */
export interface AddressPermits {
  /** `pause`: the address gave a permit, and gives another one soon. `none`: it gives none before others who wait. */
  readonly take: (address: string) => "go" | "pause" | "none"
  /** No connection was made, and this address gave no permit: what follows says nothing about the host. */
  readonly missed: (address: string) => void
}

/** For the service's own connections, which are few. */
export const everyPermit: AddressPermits = { take: () => "go", missed: () => {} }

export interface OwnPermits extends AddressPermits {
  /** The last address that gave no permit, while no connection was made; else null. */
  readonly missedAt: () => string | null
}

/** Addresses for which something waits, one after another; then it goes on as it can. More than redirects have hops. */
const mostGranted = 12

interface PermitsFor {
  readonly owner: string
  /** The addresses for which it has waited, the last one just now. */
  readonly granted: ReadonlyArray<string>
  /** It may make many connections, so these keep to the owner's rate. */
  readonly isPaced: boolean
}

export const makePermitsAt = (
  limit: Pick<AddressLimit<never>, "take" | "more">,
  { granted, isPaced, owner }: PermitsFor,
  now: () => number
): OwnPermits => {
  const begun: Array<string> = []
  let missed: string | null = null
  return {
    take: (address) => {
      const isFirst = !begun.includes(address)
      if (!isFirst || granted.slice(0, -1).includes(address)) {
        if (!limit.more(address, owner, now(), isPaced)) return "pause"
        // The latest permit was counted when it was given.
      } else if (granted.at(-1) !== address && !limit.take(address, owner, now())) return "none"
      if (isFirst) begun.push(address)
      return "go"
    },
    missed: (address) => {
      missed = address
    },
    missedAt: () => (granted.length < mostGranted ? missed : null)
  }
}
