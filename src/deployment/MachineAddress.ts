/** The address of this machine or container at which others in its network reach it. */
import { Effect } from "effect"
import { networkInterfaces } from "node:os"

/** The first IPv4 address that is neither loopback nor link-local, else the first such IPv6 address, else loopback. */
export const machineAddress = Effect.sync((): string => {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
  const outside = all.filter(({ address, internal }) => !internal && !/^(169\.254\.|fe80:)/i.test(address))
  const best = outside.find(({ family }) => family === "IPv4") ?? outside[0]
  return best?.address ?? "127.0.0.1"
})
