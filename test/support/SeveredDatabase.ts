/** A migrated database behind a connection that a test can cut, restore or silence. */
import { Effect, Layer, Redacted } from "effect"
import { createConnection, createServer, type Socket } from "node:net"
import * as Database from "../../src/store/postgres/Database.ts"
import { newDatabase } from "./TestDatabase.ts"

/** Where the server of an address listens: a socket's path, or host and port. */
const serverOf = (address: URL) => {
  const host = address.searchParams.get("host") ?? address.hostname
  const port = Number(address.searchParams.get("port") ?? (address.port || 5432))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

const makeLine = (target: ReturnType<typeof serverOf>) =>
  Effect.acquireRelease(
    Effect.promise(() => {
      const sockets = new Set<Socket>()
      let isCut = false
      const keep = (socket: Socket) => {
        sockets.add(socket)
        socket.on("error", () => socket.destroy()).once("close", () => sockets.delete(socket))
        return socket
      }
      const server = createServer((client) => {
        keep(client)
        if (isCut) return client.destroy()
        const upstream = keep(createConnection(target))
        client.pipe(upstream)
        upstream.pipe(client)
      })
      const cut = () => {
        isCut = true
        for (const socket of sockets) socket.destroy()
      }
      const line = {
        server,
        port: () => {
          const address = server.address()
          return address !== null && typeof address === "object" ? address.port : 0
        },
        cut: Effect.sync(cut),
        /** Silences existing connections: their clients receive nothing, not even a reset. */
        hush: Effect.sync(() => {
          for (const socket of sockets) socket.unpipe().resume()
        }),
        mend: Effect.sync(() => {
          isCut = false
        })
      }
      return new Promise<typeof line>((resolve) => server.listen(0, "127.0.0.1", () => resolve(line)))
    }),
    ({ cut, server }) => Effect.zipRight(cut, Effect.promise(() => new Promise((resolve) => server.close(resolve))))
  )

/** A connection to the database of an address, and the address that leads through it. */
export const severedLine = Effect.fn("severedLine")(function*(direct: Redacted.Redacted) {
  const address = new URL(Redacted.value(direct))
  const { cut, hush, mend, port } = yield* makeLine(serverOf(address))
  address.searchParams.delete("host")
  address.searchParams.delete("port")
  address.host = `127.0.0.1:${port()}`
  return { cut, hush, mend, address: Redacted.make(address.href) }
})

/** The connection and the layer of a pool that uses it. */
export const severedDatabase = Effect.fn("severedDatabase")(function*(pool: Partial<Database.PoolOptions> = {}) {
  const { address, ...line } = yield* severedLine(yield* newDatabase("migrated"))
  const options = { maxConnections: 3, applicationName: "belltower test", ...pool }
  return { ...line, layer: Layer.orDie(Database.layer(address, options)) }
})
