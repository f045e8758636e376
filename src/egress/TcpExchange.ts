/** One connection to a port, encrypted if asked, and closed as soon as it is open. */
import {
  bareHost,
  type ConnectionFacts,
  type ConnectionPhase,
  type Endpoint,
  noConnection,
  openConnection,
  type PhaseClock
} from "./Connection.ts"
import { connectionTimeout } from "./ConnectionFailures.ts"
import type { BlockedTarget, EgressGuard, RequestFailed } from "./EgressGuard.ts"

/** The result of a connection; it opened if `failure` is null. Times are in milliseconds. */
export interface TcpExchange extends ConnectionFacts {
  failure: BlockedTarget | RequestFailed | null
  totalMs: number
}

/** Connects and calls back once. Returns a function that abandons the attempt. */
export const tryConnection = (
  guard: EgressGuard,
  endpoint: Endpoint,
  timeoutMs: number,
  done: (exchange: TcpExchange) => void
): () => void => {
  const startedAt = performance.now()
  const exchange: TcpExchange = { ...noConnection(), failure: null, totalMs: 0 }
  const clock: PhaseClock & { phase: ConnectionPhase } = { phase: "dns", phaseAt: startedAt }
  const host = bareHost(endpoint.host)
  let cancelConnection = (): void => {}
  let over = false
  const stop = (): void => {
    over = true
    cancelDeadline()
    cancelConnection()
  }
  const finish = (failure: TcpExchange["failure"]): void => {
    if (over) return
    stop()
    exchange.failure = failure
    exchange.totalMs = performance.now() - startedAt
    done(exchange)
  }
  const cancelDeadline = guard.deadlines.after(
    timeoutMs,
    () => finish(clock.phase === "open" ? null : connectionTimeout(clock.phase, host, timeoutMs))
  )
  cancelConnection = openConnection(guard, { ...endpoint, host }, exchange, clock, {
    onOpen: (socket) => {
      socket.destroy()
      finish(null)
    },
    onFailure: finish
  })
  return stop
}
