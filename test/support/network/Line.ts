/** A TCP line to a server that a test can cut, freeze or stall. */
import { Effect, Redacted } from "effect"
import { createConnection, createServer, type Socket } from "node:net"

/** Where the server of an address listens: a socket's path, or host and port. */
type Target = { readonly path: string } | { readonly host: string; readonly port: number }

/** The direction in which nothing arrives any more: at the server, at its clients, or at both. */
export type Frozen = "requests" | "answers" | "both"

export const makeLine = (first: Target) =>
  Effect.acquireRelease(
    Effect.promise(() => {
      const pairs = new Map<Socket, Socket>()
      const frozenPairs = new Map<Socket, Socket>()
      const stalledPairs = new Map<Socket, Socket>()
      let isCut = false
      let target = first
      const server = createServer((client) => {
        if (isCut) return client.destroy()
        const upstream = createConnection(target)
        pairs.set(client, upstream)
        // A reset of one side is one of the other, unless the line loses what is sent.
        const reset = () => {
          if (!pairs.has(client)) return
          client.destroy()
          upstream.destroy()
        }
        for (const socket of [client, upstream]) {
          socket.on("error", () => socket.destroy())
          socket.on("error", reset)
        }
        client.once("close", () => void (pairs.delete(client), frozenPairs.delete(client), stalledPairs.delete(client)))
        client.pipe(upstream)
        upstream.pipe(client)
      })
      const eachPair = (act: (client: Socket, upstream: Socket) => void, of = pairs) =>
        Effect.sync(() => of.forEach((upstream, client) => act(client, upstream)))
      const end = (client: Socket, upstream: Socket) => {
        client.destroy()
        upstream.destroy()
      }
      const line = {
        server,
        port: () => {
          const address = server.address()
          return address !== null && typeof address === "object" ? address.port : 0
        },
        /** Ends all connections and refuses new ones. */
        cut: Effect.zipRight(
          Effect.sync(() => {
            isCut = true
          }),
          Effect.zipRight(eachPair(end), eachPair(end, frozenPairs))
        ),
        /** Leads new connections to another server, as a moved address does. */
        moveTo: (next: Target) =>
          Effect.sync(() => {
            target = next
          }),
        mend: Effect.sync(() => {
          isCut = false
        }),
        /** Loses all that is sent over the existing connections from now on, their ends included. New connections work. */
        freeze: (frozen: Frozen = "both") =>
          eachPair((client, upstream) => {
            pairs.delete(client)
            frozenPairs.set(client, upstream)
            if (frozen !== "answers") client.unpipe().resume()
            if (frozen !== "requests") upstream.unpipe().resume()
          }),
        /** Holds all that is sent over the existing connections back until `flow`. */
        stall: eachPair((client, upstream) => {
          stalledPairs.set(client, upstream)
          client.unpipe().pause()
          upstream.unpipe().pause()
        }),
        flow: eachPair((client, upstream) => {
          stalledPairs.delete(client)
          client.pipe(upstream)
          upstream.pipe(client)
        }, stalledPairs)
      }
      return new Promise<typeof line>((resolve) => server.listen(0, "127.0.0.1", () => resolve(line)))
    }),
    ({ cut, server }) => Effect.zipRight(cut, Effect.promise(() => new Promise((resolve) => server.close(resolve))))
  )

/** Where the database of an address listens. */
const databaseTarget = (address: URL): Target => {
  const host = address.searchParams.get("host") ?? address.hostname
  const port = Number(address.searchParams.get("port") ?? (address.port || 5432))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/** A line to the database of an address, and the address that leads through it. */
export const databaseLine = Effect.fn("databaseLine")(function*(direct: Redacted.Redacted) {
  const address = new URL(Redacted.value(direct))
  const line = yield* makeLine(databaseTarget(address))
  address.searchParams.delete("host")
  address.searchParams.delete("port")
  address.host = `127.0.0.1:${line.port()}`
  return { ...line, address: Redacted.make(address.href) }
})
