/** Turns host names into addresses: DNS without threads, and the system's own ways for local names. */
import { lookup, Resolver } from "node:dns"
import type { LookupAddress } from "node:dns"
import type { Deadlines } from "./Deadlines.ts"

/** The addresses of a host, IPv4 and IPv6; calls back once, with at least one address or with why there is none. */
export type Resolve = (
  host: string,
  done: (failure: ResolveFailure | null, addresses: ReadonlyArray<LookupAddress>) => void
) => void

/** A code such as ENOTFOUND (Node's dns module). */
interface ResolveFailure {
  readonly code: string
}

/** A resolver keeps the name servers it began with; machines change networks. */
const resolverLifeMs = 30_000

/** Once one family has answered, how long the other may take (RFC 8305 waits less, but never leaves one out for good). */
const otherFamilyMs = 500

/** getaddrinfo blocks a thread of Node's pool of four: some must stay free for whatever else needs them. */
const mostLookups = 2

const codeOf = (error: NodeJS.ErrnoException | null): string => error?.code ?? "ENODATA"

/** These say that DNS does not know the name, or that there is no DNS: the hosts file or a search domain may know more. */
const isUnknown = (code: string): boolean => code === "ENOTFOUND" || code === "ENODATA" || code === "ECONNREFUSED"

const isLocalName = (host: string): boolean => !host.includes(".") || host.endsWith(".localhost") || host.endsWith(".local")

/** getaddrinfo, a few at a time. */
const makeSystemLookup = (): Resolve => {
  const waiting: Array<() => void> = []
  let running = 0
  return (host, done) => {
    const start = (): void => {
      running++
      lookup(host, { all: true, verbatim: true }, (error, addresses) => {
        running--
        waiting.shift()?.()
        if (error === null && addresses.length > 0) done(null, addresses)
        else done({ code: codeOf(error) }, [])
      })
    }
    if (running < mostLookups) start()
    else waiting.push(start)
  }
}

/** Asks for A and AAAA at once; a name that DNS does not know goes to the system's resolver, as do local names. */
export const makeSystemResolver = (deadlines: Deadlines): Resolve => {
  const systemLookup = makeSystemLookup()
  let resolver = new Resolver({ timeout: 2000, tries: 3 })
  let madeAt = performance.now()

  const current = (): Resolver => {
    if (performance.now() - madeAt > resolverLifeMs) {
      resolver = new Resolver({ timeout: 2000, tries: 3 })
      madeAt = performance.now()
    }
    return resolver
  }

  return (host, done) => {
    if (isLocalName(host)) return systemLookup(host, done)
    const found: Array<LookupAddress> = []
    const failures: Array<string> = []
    let open = 2
    let stopWaiting: (() => void) | null = null

    const finish = (): void => {
      open = 0
      stopWaiting?.()
      if (found.length > 0) return done(null, found)
      if (failures.every(isUnknown)) return systemLookup(host, done)
      done({ code: failures.find((code) => !isUnknown(code)) ?? "ENOTFOUND" }, [])
    }
    const answered =
      (family: 4 | 6) => (error: NodeJS.ErrnoException | null, addresses: ReadonlyArray<string> | undefined): void => {
        if (open === 0) return
        if (error !== null || addresses === undefined || addresses.length === 0) failures.push(codeOf(error))
        else for (const address of addresses) found.push({ address, family })
        open--
        if (open === 0) finish()
        else if (found.length > 0) stopWaiting = deadlines.after(otherFamilyMs, finish)
      }
    current().resolve4(host, answered(4))
    current().resolve6(host, answered(6))
  }
}
