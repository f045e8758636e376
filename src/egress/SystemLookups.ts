/** Resolves names by getaddrinfo, which blocks a thread: few at a time, once for all who ask, and in turns of their owners. */
import { lookup as getaddrinfo, type LookupAddress } from "node:dns"
import { type FairQueue, makeFairQueue } from "../domain/tools/queues/FairQueue.ts"
import { makeWaitingShares, type WaitingShares } from "../domain/tools/queues/WaitingShares.ts"
import type { Deadlines } from "./Deadlines.ts"
import { lackOfFiles } from "./OwnFailures.ts"

/** `failure` is an error code of Node's dns module, or `noPlace`; null if there are addresses. */
export type LookupDone = (failure: string | null, addresses: ReadonlyArray<LookupAddress>) => void

/** The system's resolver. Calls back once; a call cannot be cancelled. */
export type SystemLookup = (host: string, done: LookupDone) => void

/** The failure of a lookup that was not made, because too many others wait. It says nothing about the name. */
export const noPlace = "NOPLACE"

/** Concurrent calls. Each blocks one of the four threads in Node's pool; the last must stay free. */
const maxLookups = 3

/** One slot stays free for other owners. */
const mostPerOwner = maxLookups - 1

/** Names that wait, each counted for each owner. Those who ask are as many as the callers' own slots allow. */
const mostWaiting = 1000

/** Names that the system's resolver has resolved and that are remembered. */
const mostResolved = 2000

interface LookupQuestion {
  readonly host: string
  readonly owner: string
  /** It fails with `noPlace` if it has not begun by then, ms. */
  readonly patienceMs: number
}

interface Asker {
  readonly done: LookupDone
  readonly stopWaiting: () => void
}

/** A name that somebody asks for, until it is answered or nobody asks any more. */
interface Search {
  readonly host: string
  isRunning: boolean
  readonly wishes: Map<string, Wish>
}

/** The callers of one owner that wait for a name. */
interface Wish {
  readonly owner: string
  readonly search: Search
  readonly askers: Set<Asker>
}

/**
 * The answer of a resolver, unless the process lacks file descriptors. A resolver that cannot open its files or a socket may call a
 * name unknown: multicast DNS does so, which most desktops ask.
 */
export const trusted = (lookup: SystemLookup, lacking: () => string | null = lackOfFiles): SystemLookup => (host, done) =>
  lookup(host, (failure, addresses) => done(failure === null ? null : lacking() ?? failure, addresses))

const systemLookup = trusted((host, done) =>
  getaddrinfo(host, { all: true, verbatim: true }, (error, addresses) => {
    if (error === null && addresses.length > 0) done(null, addresses)
    else done(error?.code ?? "ENODATA", [])
  })
)

const makeResolved = () => {
  const names = new Set<string>()
  return {
    has: (host: string): boolean => names.has(host),
    add: (host: string): void => {
      names.delete(host)
      names.add(host)
      const [oldest] = names
      if (names.size > mostResolved && oldest !== undefined) names.delete(oldest)
    }
  }
}

interface State {
  readonly lookup: SystemLookup
  readonly queue: FairQueue<Wish>
  readonly shares: WaitingShares
  readonly searches: Map<string, Search>
  readonly resolved: ReturnType<typeof makeResolved>
}

/** Ends a wish that waits: nobody asks for it any more, or its search runs. */
const withdraw = ({ searches, shares }: State, { owner, search: { host, isRunning, wishes } }: Wish): void => {
  shares.remove(owner)
  if (isRunning) return
  wishes.delete(owner)
  if (wishes.size === 0) searches.delete(host)
}

const answer = ({ askers }: Wish, failure: string | null, addresses: ReadonlyArray<LookupAddress>): void => {
  const asked = [...askers]
  askers.clear()
  for (const { done, stopWaiting } of asked) {
    stopWaiting()
    done(failure, addresses)
  }
}

const begin = (state: State, { owner, search }: Wish): void => {
  const { lookup, queue, resolved, searches } = state
  search.isRunning = true
  for (const wish of search.wishes.values()) {
    if (wish.owner !== owner) queue.remove(wish.owner, wish)
    withdraw(state, wish)
    for (const { stopWaiting } of wish.askers) stopWaiting()
  }
  lookup(search.host, (failure, addresses) => {
    queue.release(owner)
    searches.delete(search.host)
    if (addresses.length > 0) resolved.add(search.host)
    for (const wish of search.wishes.values()) answer(wish, failure, addresses)
    pump(state)
  })
}

const pump = (state: State): void => {
  for (let wish = state.queue.take(); wish !== undefined; wish = state.queue.take()) begin(state, wish)
}

/** Takes the wish out of the full line that makes room for one more of the owner; undefined if none does. */
const displace = (state: State, owner: string): Wish | undefined => {
  const giver = state.shares.giverFor(owner)
  const newest = giver === undefined ? undefined : state.queue.dropNewest(giver)
  if (newest !== undefined) withdraw(state, newest)
  return newest
}

const newWish = ({ queue, resolved, searches, shares }: State, host: string, owner: string): Wish => {
  const search = searches.get(host) ?? { host, isRunning: false, wishes: new Map<string, Wish>() }
  const wish: Wish = { owner, search, askers: new Set() }
  searches.set(host, search)
  search.wishes.set(owner, wish)
  if (search.isRunning) return wish
  shares.add(owner)
  // Of an owner's names, those that exist go before those that may not.
  queue.offer(owner, wish, resolved.has(host))
  return wish
}

/** Returns whether the asker still waited. */
const leave = (state: State, wish: Wish, asker: Asker): boolean => {
  if (!wish.askers.delete(asker)) return false
  asker.stopWaiting()
  if (wish.search.isRunning) return false
  if (wish.askers.size === 0 && state.queue.remove(wish.owner, wish)) withdraw(state, wish)
  return true
}

export const makeSystemLookups = (deadlines: Deadlines, lookup: SystemLookup = systemLookup) => {
  const state: State = {
    lookup,
    queue: makeFairQueue<Wish>({ slots: maxLookups, mostPerOwner }),
    shares: makeWaitingShares(),
    searches: new Map(),
    resolved: makeResolved()
  }
  return {
    hasResolved: state.resolved.has,
    /** Calls back once. Returns a function that cancels, and says whether the lookup had still not begun. */
    ask: ({ host, owner, patienceMs }: LookupQuestion, done: LookupDone): () => boolean => {
      const search = state.searches.get(host)
      const known = search?.wishes.get(owner)
      const needsPlace = known === undefined && search?.isRunning !== true && state.shares.size() >= mostWaiting
      const displaced = needsPlace ? displace(state, owner) : null
      if (displaced === undefined) {
        done(noPlace, [])
        return () => false
      }
      const wish = known ?? newWish(state, host, owner)
      const giveUp = (): void => {
        if (leave(state, wish, asker)) done(noPlace, [])
      }
      const stopWaiting = wish.search.isRunning ? () => {} : deadlines.after(patienceMs, giveUp)
      const asker: Asker = { done, stopWaiting }
      wish.askers.add(asker)
      pump(state)
      // Last: the callers that are answered may ask for other names.
      if (displaced !== null) answer(displaced, noPlace, [])
      return () => leave(state, wish, asker)
    }
  }
}
export type SystemLookups = ReturnType<typeof makeSystemLookups>
