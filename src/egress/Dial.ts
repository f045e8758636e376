/** Connects to the first address that answers (Happy Eyeballs, RFC 8305), so a dead IPv6 route does not hide a live IPv4 one. */
import type { LookupAddress } from "node:dns"
import { connect, type Socket } from "node:net"
import type { EgressGuard } from "./EgressGuard.ts"
import { isOfProcess } from "./OwnFailures.ts"

/** Delay before the next address is tried; earlier attempts continue (RFC 8305, section 5). */
const attemptDelayMs = 250

/** How soon an address that gives its next permit soon is tried again, ms. */
const pauseMs = 50

/** Nothing was sent to an address, because others go first. */
const noPermit: NodeJS.ErrnoException = new Error("too many connections to this address at a time")

/** All connections are read into this buffer, and copied before the next one is read: a buffer for each would cost more than the copy. */
const readBuffer = Buffer.allocUnsafeSlow(65_536)

const readsFor = (onBytes: (bytes: Buffer) => void) => ({
  buffer: readBuffer,
  callback: (length: number): boolean => {
    onBytes(Buffer.from(readBuffer.subarray(0, length)))
    return true
  }
})

interface DialOutcome {
  readonly onConnect: (socket: Socket, address: string) => void
  /** Gets what the connection brings, in place of the socket's `data` events. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined
  /** No address could be reached; `error` is the most informative of the attempts' errors. */
  readonly onFailure: (error: NodeJS.ErrnoException, address: string) => void
}

/** Alternates IPv6 and IPv4, starting with the family of the first address. */
const interleave = (addresses: ReadonlyArray<LookupAddress>): ReadonlyArray<LookupAddress> => {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family)
  const second = addresses.filter(({ family }) => family !== addresses[0]?.family)
  return first.flatMap((address, index) => {
    const other = second[index]
    return other === undefined ? [address] : [address, other]
  }).concat(second.slice(first.length))
}

/** A refused connection says something about the host; a missing route only about this machine. */
const isMoreInformative = (error: NodeJS.ErrnoException, than: NodeJS.ErrnoException): boolean =>
  than === noPermit || than.code === "ENETUNREACH" || than.code === "EHOSTUNREACH" || than.code === "EADDRNOTAVAIL" ||
  error.code === "ECONNREFUSED"

/** Connects to one of the addresses, which the caller has vetted, each in its turn. Returns a function that cancels. */
export const dial = (
  addresses: ReadonlyArray<LookupAddress>,
  port: number,
  { deadlines, lacksFiles, permits }: Pick<EgressGuard, "deadlines" | "lacksFiles" | "permits">,
  { onBytes, onConnect, onFailure }: DialOutcome
): () => void => {
  const order = addresses.length > 1 ? interleave(addresses) : addresses
  let sockets: ReadonlyArray<Socket> = []
  let next = 0
  let cancelDelay: (() => void) | null = null
  let reported: { readonly error: NodeJS.ErrnoException; readonly address: string } | null = null
  let done = false
  /** An address that gave no permit. */
  let missed: string | null = null

  const stop = (winner: Socket | null): void => {
    if (!done && winner === null && missed !== null) permits.missed(missed)
    done = true
    cancelDelay?.()
    for (const socket of sockets) if (socket !== winner) socket.destroy()
  }

  const failed = (error: NodeJS.ErrnoException, address: string): void => {
    if (done) return
    if (isOfProcess(error)) lacksFiles()
    if (reported === null || isMoreInformative(error, reported.error)) reported = { error, address }
    if (next < order.length) return attempt()
    if (sockets.length > 0 || cancelDelay !== null) return
    stop(null)
    onFailure(reported.error, reported.address)
  }

  const attempt = (): void => {
    cancelDelay?.()
    cancelDelay = null
    const target = order[next++]
    if (target === undefined || done) return
    const permit = permits.take(target.address)
    if (permit !== "go") missed = target.address
    if (permit === "pause") {
      next--
      cancelDelay = deadlines.after(pauseMs, attempt)
      return
    }
    if (permit === "none") return failed(noPermit, target.address)
    if (missed === target.address) missed = null
    const onread = onBytes === undefined ? undefined : readsFor(onBytes)
    const socket = connect({ host: target.address, port, noDelay: true, onread })
    sockets = [...sockets, socket]
    socket.on("connect", () => {
      if (done) return
      stop(socket)
      onConnect(socket, target.address)
    })
    // Stays registered after the hand-over; the new owner adds its own listener.
    socket.on("error", (error) => {
      sockets = sockets.filter((other) => other !== socket)
      failed(error, target.address)
    })
    if (next < order.length) cancelDelay = deadlines.after(attemptDelayMs, attempt)
  }

  attempt()
  return () => stop(null)
}
