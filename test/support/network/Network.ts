/** A network that a test takes away from a probe. */
import { Effect } from "effect"
import { EgressGuard, RequestFailed } from "../../../src/egress/EgressGuard.ts"

/** A guard whose network can be taken away: no name resolves, and no connection is made. */
export const makeNetwork = Effect.map(EgressGuard, (guard) => {
  const network = { away: false }
  const failed = new RequestFailed({ cause: "dns_error", message: "The DNS lookup failed (EAI_AGAIN)" })
  return {
    network,
    guard: EgressGuard.make({
      ...guard,
      addressesOf: (host, done) => {
        if (!network.away) return guard.addressesOf(host, done)
        done(failed, [])
        return () => {}
      }
    })
  }
})
