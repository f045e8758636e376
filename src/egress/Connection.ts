/** Opens a vetted connection, encrypted if asked, and measures its phases. Every protocol that probes speak over TCP starts here. */
import type { X509Certificate } from "node:crypto"
import type { LookupAddress } from "node:dns"
import { isIP, type Socket } from "node:net"
import { connect as tlsConnect } from "node:tls"
import { explainDistrust, type TrustPath } from "../domain/check/answer/Certificates.ts"
import { closedInHandshake, connectFailure, connectionTimeout, failed, isAlert, tlsFailure } from "./ConnectionFailures.ts"
import { endingWithin } from "./Deadlines.ts"
import { dial } from "./Dial.ts"
import type { EgressFailure, EgressGuard, RequestFailed } from "./EgressGuard.ts"
import { browsersIdentityProblem, identityProblem, judgeCertificate, type TlsFacts } from "./ServerCertificate.ts"
import type { TlsSettings, Trust } from "./TlsTrust.ts"

export interface Endpoint {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string
  readonly port: number
  readonly secure: boolean
  /** Protocols offered in the TLS handshake; none for plain TLS. */
  readonly alpn?: ReadonlyArray<string>
  /** Given by checks. */
  readonly tls?: TlsSettings | undefined
}

/** A connection and the exchange over it, as far as they went. Times are in milliseconds. */
export class ConnectionFacts implements TlsFacts {
  /** Null if the exchange succeeded. */
  failure: EgressFailure | null = null
  /** The address the connection went to. */
  address: string | null = null
  certificate: X509Certificate | null = null
  /** How the certificate is trusted; null without one. */
  path: TrustPath | null = null
  /** Node's code of the reason not to trust the certificate. Nothing is sent over such a connection unless the check allows it. */
  distrust: string | null = null
  /** As Node names it, such as TLSv1.3; null without a handshake. */
  tlsVersion: string | null = null
  dnsMs: number | null = null
  connectMs: number | null = null
  tlsMs: number | null = null
  /** The time until the answer began; null for protocols without one. */
  firstByteMs: number | null = null
  totalMs = 0
}

/** The phase that a connection has reached; `open` once it can be used. */
type ConnectionPhase = "dns" | "connect" | "tls" | "open"

/** The phases of a request as they pass. The caller owns it and may add phases after `open`. */
interface PhaseClock<Phase extends string> {
  phase: Phase | ConnectionPhase
  phaseAt: number
}

/** The time since the phase began; the next one begins. */
export const enter = <Phase extends string>(clock: PhaseClock<Phase>, next: Phase | ConnectionPhase): number => {
  const now = performance.now()
  const spent = now - clock.phaseAt
  clock.phase = next
  clock.phaseAt = now
  return spent
}

/** Called once: with the open socket, or with why there is none. */
interface ConnectionEnd {
  readonly onOpen: (socket: Socket) => void
  readonly onFailure: (failure: EgressFailure) => void
  /** Gets what the connection brings once it is open, in place of the socket's `data` events. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined
}

/** A host as sockets and certificates know it: an IPv6 address without brackets, a name without its final dot. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")

/** The endpoint of an http, https, ws or wss URL. */
export const endpointOf = (url: URL, tls?: TlsSettings): Endpoint => {
  const secure = url.protocol === "https:" || url.protocol === "wss:"
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port)
  return { host: bareHost(url.hostname), port, secure, alpn: ["http/1.1"], tls }
}

/** `onUnknown` takes the connection over if this trust does not know the authority of the server, and another one may. */
interface HandshakeEnd extends ConnectionEnd {
  readonly onUnknown: (() => void) | null
}

const shakeHands = (
  { alpn, host, tls }: Endpoint,
  trust: Trust,
  plain: Socket,
  facts: ConnectionFacts,
  clock: PhaseClock<string>,
  { onFailure, onOpen, onUnknown }: HandshakeEnd
): Socket => {
  let over = false
  const encrypted = tlsConnect({
    socket: plain,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(alpn === undefined ? {} : { ALPNProtocols: [...alpn] }),
    secureContext: trust.context,
    // Judged below, where the details are known; nothing is sent before.
    rejectUnauthorized: false,
    checkServerIdentity: tls === undefined ? identityProblem : browsersIdentityProblem
  })
  const end = (report: () => void): void => {
    if (over) return
    over = true
    report()
  }
  encrypted.once("secureConnect", () =>
    end(() => {
      facts.tlsMs = enter(clock, "open")
      judgeCertificate(encrypted, trust, facts)
      if (facts.distrust === null) return onOpen(encrypted)
      if (onUnknown !== null && facts.path?.anchor === null) return onUnknown()
      if (tls?.verify === false) return onOpen(encrypted)
      onFailure(failed("tls_error", explainDistrust(facts.distrust, host, facts.path)))
    }))
  // Stays registered after the hand-over; the new owner adds its own listener. With TLS 1.3, a server refuses a client only then.
  encrypted.on("error", (error) => {
    if (isAlert(error)) over = false
    end(() => onFailure(tlsFailure(error)))
  })
  encrypted.on("close", () => end(() => onFailure(closedInHandshake)))
  return encrypted
}

/** Resolves, vets and connects, and fills `facts` as it goes. Calls back once. Returns a function that abandons the attempt. */
const openConnection = (
  guard: EgressGuard,
  endpoint: Endpoint,
  facts: ConnectionFacts,
  clock: PhaseClock<string>,
  end: ConnectionEnd
): () => void => {
  const { host, port, secure } = endpoint
  let abandoned = false
  let stop = (): void => {}
  const connect = (addresses: ReadonlyArray<LookupAddress>, [trust, ...others]: ReadonlyArray<Trust>): void => {
    stop = dial(addresses, port, guard, {
      // Encrypted bytes are for the handshake.
      onBytes: trust === undefined ? end.onBytes : undefined,
      onConnect: (socket, address) => {
        facts.connectMs = enter(clock, secure ? "tls" : "open")
        facts.address = address
        if (trust === undefined) {
          stop = () => {}
          return end.onOpen(socket)
        }
        const encrypted = shakeHands(endpoint, trust, socket, facts, clock, {
          onOpen: (open) => {
            stop = () => {}
            if (end.onBytes !== undefined) open.on("data", end.onBytes)
            end.onOpen(open)
          },
          onFailure: (failure) => {
            if (abandoned) return
            encrypted.destroy()
            end.onFailure(failure)
          },
          onUnknown: others.length === 0 ? null : () => {
            encrypted.destroy()
            clock.phase = "connect"
            connect(addresses, others)
          }
        })
        stop = () => encrypted.destroy()
      },
      onFailure: (error, address) => {
        facts.address = address
        end.onFailure(connectFailure(error, address, port))
      }
    })
  }
  const cancelLookup = guard.addressesOf(host, (failure, addresses) => {
    if (abandoned) return
    const resolvedIn = enter(clock, "connect")
    if (isIP(host) === 0) facts.dnsMs = resolvedIn
    if (failure !== null) return end.onFailure(failure)
    connect(addresses, secure ? guard.trustsFor(endpoint.tls) : [])
  })
  return () => {
    abandoned = true
    cancelLookup()
    stop()
  }
}

/** An exchange under way. */
export interface ExchangeRun<Request, Seen extends ConnectionFacts, Phase extends string> extends PhaseClock<Phase> {
  readonly guard: EgressGuard
  readonly request: Request
  readonly seen: Seen
  readonly finish: (failure: EgressFailure | null) => void
  readonly isOver: () => boolean
  readonly startedAt: number
  /** Set by a protocol that `readsBytes`: takes what the connection brings. */
  take: (bytes: Buffer) => void
}

interface Limits {
  readonly timeoutMs: number
  /** The part of `timeoutMs` that earlier exchanges have used, ms. */
  readonly spentMs?: number
}

interface Protocol<Run> {
  /** Its run takes the bytes of the connection, which has no `data` events then. */
  readonly readsBytes?: boolean
  /** Begins the exchange; returns a function that closes it. */
  readonly open: (run: Run, connection: Socket) => () => void
  /** Says which answer did not come in time. */
  readonly expired: (run: Run) => RequestFailed
}

/** Connects and runs one exchange, all within the timeout. Calls `done` once. Returns a function that abandons it. */
export const runExchange = <Request extends Limits, Seen extends ConnectionFacts, Phase extends string>(
  guard: EgressGuard,
  endpoint: Endpoint,
  request: Request,
  seen: Seen,
  { expired, open, readsBytes = false }: Protocol<ExchangeRun<Request, Seen, Phase>>,
  done: (seen: Seen) => void
): () => void => {
  const { spentMs = 0, timeoutMs } = request
  const startedAt = performance.now()
  const expiredIn = (phase: string): RequestFailed =>
    phase === "dns" || phase === "connect" || phase === "tls"
      ? connectionTimeout(phase, endpoint.host, timeoutMs)
      : expired(run)
  const ending = endingWithin<EgressFailure | null>(
    guard.deadlines,
    Math.max(timeoutMs - spentMs, 0),
    () => expiredIn(run.phase),
    (failure) => {
      seen.failure = failure
      seen.totalMs = performance.now() - startedAt
      done(seen)
    }
  )
  const run: ExchangeRun<Request, Seen, Phase> = {
    guard,
    request,
    seen,
    finish: ending.end,
    isOver: ending.isOver,
    startedAt,
    take: () => {},
    phase: "dns",
    phaseAt: startedAt
  }
  ending.stop = openConnection(guard, endpoint, seen, run, {
    onOpen: (connection) => {
      ending.stop = () => connection.destroy()
      ending.stop = open(run, connection)
      if (ending.isOver()) ending.stop()
    },
    onFailure: ending.end,
    onBytes: readsBytes ? (bytes) => run.take(bytes) : undefined
  })
  return ending.cancel
}

/**
 * Connects to a port and closes the connection as soon as it is open. Calls `done` once. Returns a function that abandons the
 * attempt.
 */
export const tryConnection = (
  guard: EgressGuard,
  endpoint: Endpoint,
  timeoutMs: number,
  done: (seen: ConnectionFacts) => void
): () => void => {
  const host = bareHost(endpoint.host)
  return runExchange(guard, { ...endpoint, host }, { timeoutMs }, new ConnectionFacts(), {
    open: ({ finish }, connection) => {
      finish(null)
      return () => connection.destroy()
    },
    expired: () => connectionTimeout("connect", host, timeoutMs)
  }, done)
}
