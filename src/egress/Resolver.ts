/** Resolves host names: DNS without threads, and the system's resolver for local names. */
import { type LookupAddress, Resolver } from "node:dns"
import type { Deadlines } from "./Deadlines.ts"
import { type LookupDone, makeSystemLookups, noPlace, type SystemLookup, type SystemLookups } from "./SystemLookups.ts"

/** Resolves the IPv4 and IPv6 addresses of a host. Calls back once. */
export type Resolve = (host: string, done: LookupDone) => void

/**
 * The same on behalf of an owner, who waits in turn with others. Returns a function that cancels, and says whether nothing was
 * learned of the name because the lookup still had no place. The failure is then, and without cancelling, `noPlace`.
 */
export type ResolveFor = (host: string, owner: string, done: LookupDone) => () => boolean

/** A resolver keeps its initial name servers, but a machine can change networks; it is replaced after this long. */
const resolverLifeMs = 30_000

/** How long to wait for the second address family after the first (RFC 8305 waits less, but does not drop late answers). */
const otherFamilyMs = 500

/** How long a name waits for its turn at the system's resolver: less than a delivery has, so that its failure says why. */
const patienceMs = 9000

/** The same for a name that DNS denies and that the system's resolver never resolved: then DNS is right. */
const deniedPatienceMs = 2000

const codeOf = (error: NodeJS.ErrnoException | null): string => error?.code ?? "ENODATA"

/** DNS says that the name does not exist; the hosts file or a search domain may still resolve it. */
const isDenial = (code: string): boolean => code === "ENOTFOUND" || code === "ENODATA"

/** The same, or DNS is not available. */
const isUnknown = (code: string): boolean => isDenial(code) || code === "ECONNREFUSED"

const isLocalName = (host: string): boolean => !host.includes(".") || host.endsWith(".localhost") || host.endsWith(".local")

/** Asks the system's resolver for a name that DNS denies. Without a place for it, DNS is right, unless the name resolved before. */
const askDenied = (system: SystemLookups, host: string, owner: string, done: LookupDone): () => boolean => {
  if (system.hasResolved(host)) return system.ask({ host, owner, patienceMs }, done)
  const cancel = system.ask(
    { host, owner, patienceMs: deniedPatienceMs },
    (failure, addresses) => done(failure === noPlace ? "ENOTFOUND" : failure, addresses)
  )
  return () => {
    cancel()
    return false
  }
}

/** Asks DNS for A and AAAA in parallel. The addresses, or the codes of both failures. */
const askDns = (
  resolver: Resolver,
  deadlines: Deadlines,
  host: string,
  done: (addresses: ReadonlyArray<LookupAddress>, failures: ReadonlyArray<string>) => void
): () => void => {
  const found: Array<LookupAddress> = []
  const failures: Array<string> = []
  let open = 2
  let stopWaiting: (() => void) | null = null
  // Dropped when it has been called or is cancelled: the queries go on for seconds, and must not keep their caller.
  let listener: typeof done | null = done

  const close = (): void => {
    open = 0
    stopWaiting?.()
    listener = null
  }
  const finish = (): void => {
    const waiting = listener
    close()
    waiting?.(found, failures)
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
  resolver.resolve4(host, answered(4))
  resolver.resolve6(host, answered(6))
  return close
}

interface ResolverOptions {
  /** By default getaddrinfo. */
  readonly lookup?: SystemLookup | undefined
  /** The name servers, as Node writes them; by default those of this machine. */
  readonly servers?: ReadonlyArray<string>
}

/** Local names and names unknown to DNS go to the system's resolver. */
export const makeSystemResolver = (deadlines: Deadlines, { lookup, servers }: ResolverOptions = {}): ResolveFor => {
  const system = makeSystemLookups(deadlines, lookup)
  const newResolver = (): Resolver => {
    const made = new Resolver({ timeout: 2000, tries: 3 })
    if (servers !== undefined) made.setServers(servers)
    return made
  }
  let resolver = newResolver()
  let createdAt = performance.now()

  const current = (): Resolver => {
    if (performance.now() - createdAt > resolverLifeMs) {
      resolver = newResolver()
      createdAt = performance.now()
    }
    return resolver
  }

  return (host, owner, done) => {
    const question = { host, owner, patienceMs }
    if (isLocalName(host)) return system.ask(question, done)
    let cancelSystem = (): boolean => false
    const cancelDns = askDns(current(), deadlines, host, (found, failures) => {
      if (found.length > 0) return done(null, found)
      if (failures.every(isDenial)) cancelSystem = askDenied(system, host, owner, done)
      else if (failures.every(isUnknown)) cancelSystem = system.ask(question, done)
      else done(failures.find((code) => !isUnknown(code)) ?? "ENOTFOUND", [])
    })
    return () => {
      cancelDns()
      return cancelSystem()
    }
  }
}
