/** Connections between processes: TLS, in which each end shows that it belongs to this installation (ClusterIdentity). */
import { Runners, ShardingConfig } from "@effect/cluster"
import { Socket, SocketServer } from "@effect/platform"
import { NodeSocket } from "@effect/platform-node"
import { RpcClient, RpcSerialization } from "@effect/rpc"
import { Cause, type Context, Deferred, Effect, FiberSet, Layer, Option, Queue } from "effect"
import type { Socket as NetSocket } from "node:net"
import { connect, createServer, type TLSSocket } from "node:tls"
import { reasonOf } from "../src/loops/Outage.ts"
import { ClusterIdentity } from "./ClusterIdentity.ts"

/** A stranger that connects and says nothing is cut off after this, ms. */
const handshakeTimeout = 5_000

/** For answers that are on their way when a runner stops. */
const graceAtEnd = "1 second"

/** `message` is one line for the operator. */
class CannotListen extends SocketServer.SocketServerError {
  override get message() {
    return `Other processes cannot reach this runner: ${reasonOf(this.cause)}. Set BELLTOWER_RUNNER_HOST to an address of this ` +
      "machine, and BELLTOWER_RUNNER_PORT to a free port"
  }
}

const close = (socket: TLSSocket) => Effect.sync(() => void (socket.closed || socket.destroySoon()))
const openingFailed = (cause: unknown) => new Socket.SocketGenericError({ reason: "Open", cause })

type Identity = Context.Tag.Service<ClusterIdentity>

const listening = Effect.fnUntraced(function*({ client: _, server: own, ...both }: Identity, host: string, port: number) {
  const failed = yield* Deferred.make<never, SocketServer.SocketServerError>()
  const accepted = yield* Queue.unbounded<TLSSocket>()
  const server = createServer({ ...both, ...own, rejectUnauthorized: true, handshakeTimeout }, (socket) => {
    // Until somebody serves it, an error would end the process.
    socket.on("error", () => {})
    Queue.unsafeOffer(accepted, socket)
  })
  server.on(
    "error",
    (cause) => Deferred.unsafeDone(failed, Effect.fail(new CannotListen({ reason: "Open", cause })))
  )
  const open = new Set<NetSocket>()
  server.on("connection", (socket: NetSocket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
  })
  const closed = Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  // Cuts sockets in a handshake, those that were accepted when nobody served any more, and those whose line is frozen.
  const cutRest = Effect.sync(() => open.forEach((socket) => socket.destroy())).pipe(Effect.delay(graceAtEnd))
  yield* Effect.addFinalizer(() => Effect.zipRight(Effect.forkDaemon(cutRest), closed))
  const opened = Effect.async<void>((resume) => void server.listen(port, host, () => resume(Effect.void)))
  yield* Effect.raceFirst(opened, Deferred.await(failed))
  return { accepted, failed }
})

/** Accepts connections of members at the address of this runner. */
export const layerSocketServer: Layer.Layer<
  SocketServer.SocketServer,
  SocketServer.SocketServerError,
  ShardingConfig.ShardingConfig | ClusterIdentity
> = Layer.scoped(
  SocketServer.SocketServer,
  Effect.gen(function*() {
    const { runnerAddress, runnerListenAddress } = yield* ShardingConfig.ShardingConfig
    const address = Option.getOrThrow(Option.orElse(runnerListenAddress, () => runnerAddress))
    const { accepted, failed } = yield* listening(yield* ClusterIdentity, address.host, address.port)

    const run = <R, E, A>(handler: (socket: Socket.Socket) => Effect.Effect<A, E, R>) => {
      const serve = (socket: TLSSocket) =>
        NodeSocket.fromDuplex(Effect.acquireRelease(Effect.succeed(socket), close)).pipe(
          Effect.flatMap(handler),
          Effect.provideService(NodeSocket.NetSocket, socket),
          Effect.catchAllCause((cause) =>
            Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logDebug("A connection of the cluster ended", cause)
          )
        )
      return Effect.scoped(Effect.gen(function*() {
        const served = yield* FiberSet.make()
        return yield* Effect.forever(Effect.flatMap(Queue.take(accepted), (socket) => FiberSet.run(served, serve(socket))))
      })).pipe(Effect.raceFirst(Deferred.await(failed)))
    }
    return SocketServer.SocketServer.of({
      address: { _tag: "TcpAddress", hostname: address.host, port: address.port },
      run
    })
  })
)

/** Connects to a runner. Fails unless it is a member. Can be interrupted, which the acquisition of a resource cannot. */
export const dial = ({ client: own, server: _, ...both }: Identity, host: string, port: number) =>
  Effect.gen(function*() {
    // A member is known by its key or certificate, not by the host at which it is reached.
    const socket = connect({ ...both, ...own, host, port, rejectUnauthorized: true, checkServerIdentity: () => undefined })
    socket.on("error", () => {})
    let isOpen = false
    yield* Effect.addFinalizer(() => isOpen ? close(socket) : Effect.sync(() => void socket.destroy()))
    return yield* Effect.async<TLSSocket, Socket.SocketError>((resume) => {
      socket.once("secureConnect", () => {
        isOpen = true
        resume(Effect.succeed(socket))
      })
      socket.once("error", (cause) => resume(Effect.fail(openingFailed(cause))))
    })
  })

/** Calls runners. */
export const layerClientProtocol: Layer.Layer<
  Runners.RpcClientProtocol,
  never,
  RpcSerialization.RpcSerialization | ClusterIdentity
> = Layer.effect(
  Runners.RpcClientProtocol,
  Effect.gen(function*() {
    const serialization = yield* RpcSerialization.RpcSerialization
    const identity = yield* ClusterIdentity
    return Effect.fnUntraced(function*({ host, port }) {
      const socket = yield* NodeSocket.fromDuplex(dial(identity, host, port), { openTimeout: "1 second" })
      return yield* RpcClient.makeProtocolSocket().pipe(
        Effect.provideService(Socket.Socket, socket),
        Effect.provideService(RpcSerialization.RpcSerialization, serialization)
      )
    }, Effect.orDie)
  })
)
