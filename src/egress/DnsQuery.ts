/** Asks a list of DNS servers in turn, as stub resolvers do, until one of them knows the answer. */
import { Either } from "effect"
import { isIP } from "node:net"
import { everyPermit } from "../domain/check/address/PermitsAt.ts"
import { rcodeName } from "../domain/check/answer/DnsVerdict.ts"
import { type Ending, endingWithin } from "./Deadlines.ts"
import { askServer, type DnsQuestion, type DnsReply, type DnsServer, type DnsSilence, serverName } from "./DnsExchange.ts"
import type { BlockedTarget, EgressGuard } from "./EgressGuard.ts"

/** One question to one server. `reply` is null if the server gave none; `result` is for people. */
export interface DnsAttempt {
  readonly server: string
  readonly reply: DnsReply | null
  readonly isTimeout: boolean
  readonly result: string
}

export interface DnsOutcome {
  /** A resolver is not a public address. Nothing was sent to it. */
  readonly blocked: BlockedTarget | null
  /** In the order in which they were made. */
  readonly attempts: ReadonlyArray<DnsAttempt>
  readonly totalMs: number
}

interface DnsRequest {
  readonly question: DnsQuestion
  /** Addresses or names; empty for the servers of this machine. */
  readonly resolvers: ReadonlyArray<string>
  /** The port of all servers; null for the usual one. */
  readonly port: number | null
  readonly timeoutMs: number
}

/** How long to wait for one server before the next is asked, ms. */
const longestWaitMs = 2000

/** Another server may know: this one cannot or will not say. */
const isFinal = (rcode: number): boolean => rcode === 0 || rcode === 3

const systemServer = (entry: string, port: number | null): DnsServer => {
  const match = /^\[(.*)\]:(\d+)$/.exec(entry) ?? (isIP(entry) === 0 ? /^(.*):(\d+)$/.exec(entry) : null)
  const address = match?.[1] ?? entry
  return { address, family: isIP(address), port: port ?? Number(match?.[2] ?? 53) }
}

/** The attempt that decides: the last with a reply, because a reply says more than silence. */
export const decisive = ({ attempts }: DnsOutcome): DnsAttempt | undefined =>
  attempts.findLast(({ reply }) => reply !== null) ?? attempts.at(-1)

/** A query under way. */
interface Run {
  readonly guard: EgressGuard
  readonly request: DnsRequest
  readonly startedAt: number
  readonly attempts: Array<DnsAttempt>
  readonly ending: Ending<BlockedTarget | null>
}

const attemptOf = (server: DnsServer, answer: Either.Either<DnsReply, DnsSilence>): DnsAttempt => ({
  server: serverName(server),
  ...Either.match(answer, {
    onLeft: ({ isTimeout, message }) => ({ reply: null, isTimeout, result: message }),
    onRight: (reply) => ({ reply, isTimeout: false, result: rcodeName(reply.rcode) })
  })
})

/** This machine's servers are the operator's: they answer all monitors without servers of their own, so there are no limits at them. */
const permitsOf = ({ deadlines, lacksFiles, permits }: EgressGuard, { resolvers }: DnsRequest) => ({
  deadlines,
  lacksFiles,
  permits: resolvers.length === 0 ? everyPermit : permits
})

/** Asks each server once, and those that did not answer once more, because UDP loses packets. */
const askInTurn = (run: Run, servers: ReadonlyArray<DnsServer>): void => {
  const { attempts, ending, guard, request, startedAt } = run
  const { question, timeoutMs } = request
  const order = [...servers, ...servers]
  const waitMs = Math.min(longestWaitMs, Math.floor(timeoutMs / (order.length + 1)))
  const silent = new Set(servers)
  const step = (index: number): void => {
    const server = order[index]
    if (server === undefined) return ending.end(null)
    if (!silent.has(server)) return step(index + 1)
    // The last question has all the time that is left.
    const patience = index + 1 < order.length ? waitMs : timeoutMs - (performance.now() - startedAt)
    ending.stop = askServer(permitsOf(guard, request), server, question, patience, (answer) => {
      const attempt = attemptOf(server, answer)
      attempts.push(attempt)
      if (!attempt.isTimeout) silent.delete(server)
      if (attempt.reply !== null && isFinal(attempt.reply.rcode)) ending.end(null)
      else step(index + 1)
    })
  }
  step(0)
}

/** Resolves and vets the monitor's own resolvers one after the other. This machine's servers are the operator's, so not vetted. */
const withServers = (run: Run, then: (servers: ReadonlyArray<DnsServer>) => void): void => {
  const { attempts, ending, guard, request: { port, resolvers } } = run
  if (resolvers.length === 0) return then(guard.nameServers().map((entry) => systemServer(entry, port)))
  const servers: Array<DnsServer> = []
  const vet = (index: number): void => {
    const host = resolvers[index]
    if (host === undefined) return then(servers)
    let isDone = false
    const cancel = guard.addressesOf(host, (failure, addresses) => {
      isDone = true
      if (failure?._tag === "BlockedTarget") return ending.end(failure)
      if (failure !== null) attempts.push({ server: host, reply: null, isTimeout: false, result: failure.message })
      const [address] = addresses
      if (address !== undefined) servers.push({ ...address, port: port ?? 53 })
      vet(index + 1)
    })
    if (!isDone) ending.stop = cancel
  }
  vet(0)
}

/** Calls back once. Returns a function that cancels. */
export const queryDns = (guard: EgressGuard, request: DnsRequest, done: (outcome: DnsOutcome) => void): () => void => {
  const startedAt = performance.now()
  const attempts: Array<DnsAttempt> = []
  const ending = endingWithin<BlockedTarget | null>(
    guard.deadlines,
    request.timeoutMs,
    () => null,
    (blocked) => done({ blocked, attempts, totalMs: performance.now() - startedAt })
  )
  const run: Run = { guard, request, startedAt, attempts, ending }
  withServers(run, (servers) => {
    if (!ending.isOver()) askInTurn(run, servers)
  })
  return ending.cancel
}
