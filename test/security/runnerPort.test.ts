/** The port of a runner answers members of its installation only, and members talk to its runners only. */
import { Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { connect as connectPlain } from "node:net"
import { connect, type ConnectionOptions } from "node:tls"
import * as Cluster from "../../cluster/Cluster.ts"
import { ClusterIdentity } from "../../cluster/ClusterIdentity.ts"
import { defaultClusterPace } from "../../src/domain/health/ClusterPace.ts"
import { clusterKeyName, InstallationKeys } from "../../src/store/InstallationKeys.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { Vault } from "../../src/store/Vault.ts"
import { newDatabase } from "../support/database/TestDatabase.ts"
import { freePort } from "../support/network/FreePort.ts"
import { otherSecret, testSecret } from "../support/program/TestInstallation.ts"
import { openWorkshop } from "../support/targets/CertificateWorkshop.ts"
import { until } from "../support/time/Until.ts"

const Echo = Entity.make("Echo", [Rpc.make("Say", { payload: { word: Schema.String }, success: Schema.String })])

const ofKey = ClusterIdentity.ofKey(Buffer.alloc(32, 7))
const ofAnotherKey = ClusterIdentity.ofKey(Buffer.alloc(32, 8))
const pool = { maxConnections: 5, applicationName: "belltower test" }

/** A runner whose actor counts the messages that it gets. */
const newRunner = Effect.fn("newRunner")(function*(identity: Layer.Layer<ClusterIdentity>) {
  const database = Database.layer(yield* newDatabase("migrated"), pool)
  const port = yield* freePort
  const words: Array<string> = []
  const echo = Echo.toLayer(
    Effect.succeed({
      Say: ({ payload: { word } }) =>
        Effect.sync(() => {
          words.push(word)
          return word
        })
    }),
    { disableFatalDefects: true }
  )
  const runner = Layer.provideMerge(echo, Layer.orDie(Cluster.layerRunner(identity, "127.0.0.1", port)))
  yield* Layer.build(Layer.provide(runner, database))
  return { database, port, words }
})

/** Says a word to the runner's actor as a process with another identity; whether it was answered. */
const sayAs = Effect.fn("sayAs")(function*(
  { database }: Effect.Effect.Success<ReturnType<typeof newRunner>>,
  identity: Layer.Layer<ClusterIdentity>,
  word: string
) {
  const context = yield* Layer.build(Layer.provide(Cluster.layerClient(identity, defaultClusterPace), database))
  const echo = yield* Effect.provide(Echo.client, context)
  return yield* echo("one").Say({ word }).pipe(Effect.timeout("3 seconds"), Effect.isSuccess)
})

/** The port's answer to a stranger: bytes, or the end of the connection. */
const answerTo = (port: number, tls: ConnectionOptions | null) =>
  Effect.async<string>((resume) => {
    const socket = tls === null ? connectPlain(port, "127.0.0.1") : connect({ ...tls, port, host: "127.0.0.1" })
    const greet = () => socket.write("{\"_tag\":\"Ping\"}\n")
    socket.once(tls === null ? "connect" : "secureConnect", greet)
    let bytes = ""
    socket.on("data", (chunk: Buffer) => (bytes += chunk.toString("latin1")))
    socket.on("error", () => {})
    socket.once("close", () => resume(Effect.succeed(bytes)))
  }).pipe(Effect.timeout("20 seconds"))

const { close, make } = openWorkshop()
afterAll(close)

/** A process with a certificate of an authority that signs nothing else. */
const newMember = () => {
  const authority = make({ name: "authority", isAuthority: true })
  const { cert, key } = make({ name: "process", by: authority })
  return { authority: authority.cert, certificate: cert, key: Redacted.make(key) }
}

describe("the port of a runner", () => {
  it.scopedLive(
    "gives strangers nothing: neither in plain text nor over TLS, with a certificate of their own or without",
    () =>
      Effect.gen(function*() {
        const { port, words } = yield* newRunner(ofKey)
        const { certificate, key } = newMember()
        const plain = yield* answerTo(port, null)
        // TLS answers with an alert, a record of type 21, and ends.
        expect(plain === "" || plain.charCodeAt(0) === 21).toBe(true)
        expect(yield* answerTo(port, { rejectUnauthorized: false })).toBe("")
        expect(yield* answerTo(port, { rejectUnauthorized: false, cert: certificate, key: Redacted.value(key) })).toBe("")
        const guessed = { psk: Buffer.alloc(32), identity: "belltower" }
        expect(yield* answerTo(port, { ciphers: "PSK", maxVersion: "TLSv1.2", pskCallback: () => guessed })).toBe("")
        expect(words).toEqual([])
      }),
    60_000
  )

  it.scopedLive("takes messages of processes with the installation's key, and of no other", () =>
    Effect.gen(function*() {
      const runner = yield* newRunner(ofKey)
      yield* until(sayAs(runner, ofKey, "member"), (isAnswered) => isAnswered)
      expect(yield* sayAs(runner, ofAnotherKey, "stranger")).toBe(false)
      expect(new Set(runner.words)).toEqual(new Set(["member"]))
    }), 60_000)

  it.scopedLive(
    "takes messages of processes with the new secret and of those with the previous one, while it is rotated",
    () =>
      Effect.gen(function*() {
        const database = Database.layer(yield* newDatabase("migrated"), pool)
        /** As a process with these secrets reads it in the database of the installation. */
        const identityOf = (present: string, previous: string | null) =>
          Layer.unwrapEffect(
            Effect.flatMap(InstallationKeys, ({ key }) => Effect.map(key(clusterKeyName), ClusterIdentity.ofKey))
          ).pipe(
            Layer.provide(InstallationKeys.Default),
            Layer.provide(Vault.layer(Redacted.make(present), previous === null ? null : Redacted.make(previous))),
            Layer.provide(database),
            Layer.orDie
          )
        const runner = yield* newRunner(identityOf(testSecret, null))
        for (
          const identity of [
            identityOf(otherSecret, testSecret),
            identityOf(testSecret, otherSecret),
            identityOf(testSecret, null)
          ]
        ) {
          yield* until(sayAs(runner, identity, "member"), (isAnswered) => isAnswered)
        }
      }),
    60_000
  )

  it.scopedLive(
    "takes messages of processes with a certificate of the operator's authority, and of no other",
    () =>
      Effect.gen(function*() {
        const own = newMember()
        const runner = yield* newRunner(ClusterIdentity.ofCertificates(own))
        yield* until(sayAs(runner, ClusterIdentity.ofCertificates(own), "member"), (isAnswered) => isAnswered)
        const foreign = newMember()
        expect(yield* sayAs(runner, ClusterIdentity.ofCertificates({ ...foreign, authority: own.authority }), "stranger")).toBe(
          false
        )
        // A runner with another authority gets no messages of members.
        expect(yield* sayAs(runner, ClusterIdentity.ofCertificates({ ...own, authority: foreign.authority }), "deceived")).toBe(
          false
        )
        expect(yield* sayAs(runner, ofKey, "secret")).toBe(false)
        expect(new Set(runner.words)).toEqual(new Set(["member"]))
      }),
    60_000
  )
})
