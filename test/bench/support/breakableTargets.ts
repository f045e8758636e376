/** Targets that work until they are broken, each in one way, and work again once they are mended. All are real servers on loopback. */
import { Effect, type Scope } from "effect"
import { createServer, type ServerResponse } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import type { Duplex } from "node:stream"
import { localDns, type React } from "../../support/network/LocalDns.ts"
import { type Certificates, listening } from "../../support/targets/LocalTargets.ts"

export interface Breakable {
  /** The settings of a monitor that checks it. */
  readonly input: object
  readonly break: Effect.Effect<void>
  readonly mend: Effect.Effect<void>
}

type MakeBreakable = Effect.Effect<Breakable, never, Scope.Scope>

const page = JSON.stringify({ ok: true, text: "hello" })

/** The expectations of a monitor of the http targets: each fault spoils one of these at least. */
const wants = { keyword: "hello", assertions: [{ source: "json", path: "ok", op: "eq", value: true, severity: "down" }] }

type Answer = (response: ServerResponse) => void

const answering = (status: number, body: string, headers: Record<string, string> = {}): Answer => (response) =>
  void response.writeHead(status, headers).end(body)

const good = answering(200, page, { "content-type": "application/json" })

/** An http server that answers in another way while it is broken. */
const withAnswer = (broken: Answer): MakeBreakable =>
  Effect.gen(function*() {
    let answer = good
    const port = yield* listening(createServer((_, response) => answer(response)))
    return {
      input: { url: `http://127.0.0.1:${port}/`, ...wants },
      break: Effect.sync(() => void (answer = broken)),
      mend: Effect.sync(() => void (answer = good))
    }
  })

/** The listener itself goes away, and its connections with it. */
const withoutListener: MakeBreakable = Effect.gen(function*() {
  const server = createServer((_, response) => good(response))
  const port = yield* listening(server)
  return {
    input: { url: `http://127.0.0.1:${port}/`, ...wants },
    break: Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    }),
    mend: Effect.async<void>((resume) => void server.listen(port, "127.0.0.1", () => resume(Effect.void)))
  }
})

const record = { type: "A", name: "shop.test", ttl: 60 } as const
const goodDns: React = () => ({ answers: [{ ...record, data: "192.0.2.1" }] })

const withDns = (broken: React): MakeBreakable =>
  Effect.gen(function*() {
    let react = goodDns
    const port = yield* localDns((question, protocol) => react(question, protocol))
    return {
      input: { kind: "dns", host: "shop.test", expected: ["192.0.2.1"], resolvers: ["127.0.0.1"], port },
      break: Effect.sync(() => void (react = broken)),
      mend: Effect.sync(() => void (react = goodDns))
    }
  })

/** An https server; `spoil` is called once it is broken, and then for each new connection. */
const withTls = (
  certificates: Certificates,
  { connection, server: spoil = () => {} }: {
    readonly server?: (server: ReturnType<typeof createHttpsServer>) => void
    readonly connection?: (socket: Duplex) => void
  }
): MakeBreakable =>
  Effect.gen(function*() {
    let isBroken = false
    const server = createHttpsServer(certificates.good, (_, response) => good(response))
    server.prependListener("connection", (socket) => {
      if (isBroken) connection?.(socket)
    })
    const port = yield* listening(server)
    return {
      input: { url: `https://127.0.0.1:${port}/`, ...wants, tlsCa: certificates.authority },
      break: Effect.sync(() => {
        isBroken = true
        spoil(server)
      }),
      mend: Effect.sync(() => {
        isBroken = false
        server.setSecureContext(certificates.good)
      })
    }
  })

const tcpWithoutListener: MakeBreakable = Effect.map(withoutListener, (target) => {
  const { port } = new URL("url" in target.input ? String(target.input.url) : "")
  return { ...target, input: { host: "127.0.0.1", port: Number(port) } }
})

const slowAnswer = (ms: number): Answer => (response) => void setTimeout(() => good(response), ms).unref()

/** Each fault, and whether a check of it takes its whole timeout. */
export const faults = (certificates: Certificates) => ({
  refused: { target: withoutListener, timesOut: false },
  reset: { target: withAnswer((response) => response.socket?.resetAndDestroy()), timesOut: false },
  "status 503": { target: withAnswer(answering(503, "over capacity")), timesOut: false },
  "wrong text": { target: withAnswer(answering(200, "{\"ok\":true,\"text\":\"maintenance\"}")), timesOut: false },
  "wrong JSON": { target: withAnswer(answering(200, "{\"ok\":false,\"text\":\"hello\"}")), timesOut: false },
  "redirects to itself": { target: withAnswer(answering(302, "", { location: "/" })), timesOut: false },
  "hangs": { target: withAnswer(() => {}), timesOut: true },
  "stops within the body": {
    target: withAnswer((response) => void response.writeHead(200, { "content-length": "1000" }).write("{\"ok\":")),
    timesOut: true
  },
  "too slow": { target: withAnswer(slowAnswer(30_000)), timesOut: true },
  "no such name": { target: withDns(() => ({ rcode: "NXDOMAIN" })), timesOut: false },
  "wrong record": { target: withDns(() => ({ answers: [{ ...record, data: "192.0.2.9" }] })), timesOut: false },
  "resolver fails": { target: withDns(() => ({ rcode: "SERVFAIL" })), timesOut: false },
  "resolver silent": { target: withDns(() => null), timesOut: true },
  "expired certificate": {
    target: withTls(certificates, { server: (server) => server.setSecureContext(certificates.expired) }),
    timesOut: false
  },
  "handshake cut": { target: withTls(certificates, { connection: (socket) => void socket.destroy() }), timesOut: false },
  "port closed": { target: tcpWithoutListener, timesOut: false }
})

export type FaultName = keyof ReturnType<typeof faults>
