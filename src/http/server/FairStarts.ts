/** Begins requests fairly between clients: hundreds that arrive together would all begin within one turn of the event loop. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { clientNetwork, type TrustedProxies } from "../../domain/access/TrustedProxies.ts"
import { makeFairQueue } from "../../domain/tools/queues/FairQueue.ts"
import { addressBehind } from "../request/ClientAddress.ts"

/** Requests that begin in one turn of the event loop, those of all clients together. */
export const mostInTurn = 16

type Listener = (request: IncomingMessage, response: ServerResponse) => void

interface Arrival {
  readonly client: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Passes requests on immediately while few arrive, else fairly between the networks of their clients. */
export const inFairTurns = (trusted: TrustedProxies, listener: Listener): Listener => {
  const arrivals = makeFairQueue<Arrival>({ slots: 1, mostPerOwner: 1 })
  let begun = 0
  let isTurnOver = true

  const beginNext = (): void => {
    const next = arrivals.take()
    if (next === undefined) return
    arrivals.release(next.client)
    if (next.response.destroyed) return
    begun++
    listener(next.request, next.response)
  }

  const endTurn = (): void => {
    begun = 0
    isTurnOver = true
    if (arrivals.waiting() > 0) beginTurn()
    while (arrivals.waiting() > 0 && begun < mostInTurn) beginNext()
  }

  const beginTurn = (): void => {
    if (isTurnOver) setImmediate(endTurn)
    isTurnOver = false
  }

  return (request, response) => {
    beginTurn()
    if (begun < mostInTurn && arrivals.waiting() === 0) {
      begun++
      return listener(request, response)
    }
    const client = clientNetwork(addressBehind(trusted, request) ?? "unknown")
    arrivals.offer(client, { client, request, response })
  }
}
