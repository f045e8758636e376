/** Resolves host names: DNS without threads, and the system's resolver for local names. */
import { lookup, Resolver } from "node:dns"
import type { LookupAddress } from "node:dns"
import type { Deadlines } from "./Deadlines.ts"

/** Resolves the IPv4 and IPv6 addresses of a host. Calls back once, with at least one address or a failure. */
export type Resolve = (
  host: string,
  done: (failure: ResolveFailure | null, addresses: ReadonlyArray<LookupAddress>) => void
) => void

interface ResolveFailure {
  /** An error code of Node's dns module, such as ENOTFOUND. */
  readonly code: string
}

/** A resolver keeps its initial name servers, but a machine can change networks; it is replaced after this long. */
const resolverLifeMs = 30_000

/** How long to wait for the second address family after the first (RFC 8305 waits less, but does not drop late answers). */
const otherFamilyMs = 500

/** Concurrent getaddrinfo calls. Each blocks one of the four threads in Node's pool; the others must stay free. */
const maxLookups = 2

const codeOf = (error: NodeJS.ErrnoException | null): string => error?.code ?? "ENODATA"

/** DNS does not know the name or is not available; the hosts file or a search domain may still resolve it. */
const isUnknown = (code: string): boolean => code === "ENOTFOUND" || code === "ENODATA" || code === "ECONNREFUSED"

const isLocalName = (host: string): boolean => !host.includes(".") || host.endsWith(".localhost") || host.endsWith(".local")

/** getaddrinfo with limited concurrency. */
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
    if (running < maxLookups) start()
    else waiting.push(start)
  }
}

/** Queries A and AAAA in parallel. Local names and names unknown to DNS go to the system's resolver. */
export const makeSystemResolver = (deadlines: Deadlines): Resolve => {
  const systemLookup = makeSystemLookup()
  let resolver = new Resolver({ timeout: 2000, tries: 3 })
  let createdAt = performance.now()

  const current = (): Resolver => {
    if (performance.now() - createdAt > resolverLifeMs) {
      resolver = new Resolver({ timeout: 2000, tries: 3 })
      createdAt = performance.now()
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
