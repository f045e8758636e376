/** The doctor asks the runners that the database lists over mutual TLS, as apis and other runners do. */
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Cluster from "../../cluster/Cluster.ts"
import { ClusterIdentity } from "../../cluster/ClusterIdentity.ts"
import { diagnose } from "../../src/doctor/Doctor.ts"
import { clusterKeyName, InstallationKeys } from "../../src/store/InstallationKeys.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { Vault } from "../../src/store/Vault.ts"
import { newDatabase } from "../support/database/TestDatabase.ts"
import { freePort } from "../support/network/FreePort.ts"
import { otherSecret, testSecret } from "../support/program/TestInstallation.ts"
import { openWorkshop } from "../support/targets/CertificateWorkshop.ts"
import { until } from "../support/time/Until.ts"

it.scopedLive("the doctor finds the runners that answer, and names those that do not", () =>
  Effect.gen(function*() {
    const address = yield* newDatabase("migrated")
    const database = yield* Layer.build(Database.layer(address, { maxConnections: 5, applicationName: "belltower test" }))
    const sql = Context.get(database, SqlClient.SqlClient)
    const key = yield* Effect.flatMap(InstallationKeys, (keys) => keys.key(clusterKeyName)).pipe(
      Effect.provide(Layer.provide(
        InstallationKeys.Default,
        Layer.merge(Vault.layer(Redacted.make(testSecret)), Layer.succeedContext(database))
      ))
    )
    const port = yield* freePort
    const runner = Cluster.layerRunner(ClusterIdentity.ofKey(key), "127.0.0.1", port)
    yield* Layer.build(Layer.provide(runner, Layer.succeedContext(database)))
    yield* until(sql`select address from cluster_runners`, (rows) => rows.length === 1)

    const examined = (more: Readonly<Record<string, string>> = {}) =>
      Effect.map(
        diagnose("runner", {
          PORT: "0",
          DATABASE_URL: Redacted.value(address),
          BELLTOWER_SECRET: testSecret,
          KAFKA_BROKERS: "127.0.0.1:9",
          BELLTOWER_RUNNER_HOST: "127.0.0.1",
          BELLTOWER_RUNNER_PORT: String(port),
          BELLTOWER_RDAP_URL: "https://127.0.0.1",
          ...more
        }),
        (all) => Object.fromEntries(all.map(({ check, found, state }) => [check, `${state} ${found}`]))
      )
    const well = yield* examined()
    expect([well["runners"], well["runner port"]]).toEqual([
      "ok Runners that answer over mutual TLS: 1",
      `ok A process of Belltower serves on 127.0.0.1:${port} (BELLTOWER_RUNNER_PORT)`
    ])

    const { close, make } = openWorkshop()
    const folder = mkdtempSync(join(tmpdir(), "belltower-doctor-"))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        close()
        rmSync(folder, { recursive: true })
      })
    )
    const authority = make({ name: "authority", isAuthority: true })
    const member = make({ name: "process", by: authority })
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const strange = yield* examined({
      BELLTOWER_CLUSTER_CA: file("ca.pem", authority.cert),
      BELLTOWER_CLUSTER_CERT: file("cert.pem", member.cert),
      BELLTOWER_CLUSTER_KEY: file("key.pem", member.key)
    })
    expect(strange["runners"]).toMatch(
      new RegExp(`^failed The runner at 127\\.0\\.0\\.1:${port} does not answer over mutual TLS: `)
    )
    expect(strange["runners"]).toContain("it has other certificates or another key (TLS: ")
    expect(strange["runner port"]).toMatch(/^failed .*EADDRINUSE/)

    // The database is the right one, but its key cannot be opened: that says nothing of the runners.
    const sealed = yield* examined({ BELLTOWER_SECRET: otherSecret })
    expect([sealed["runners"], sealed["runner port"]]).toEqual([
      "skipped Needs an answer of the checks database and secret",
      expect.stringMatching(/^warning Something listens on /)
    ])

    yield* sql`insert into cluster_runners (address, runner, healthy) values ('127.0.0.1:9', '{}', true)`
    expect((yield* examined())["runners"]).toMatch(/^failed The runner at 127\.0\.0\.1:9 does not answer .*ECONNREFUSED/)
  }))

it.scopedLive("the doctor takes a database that hangs for no runner that does", () =>
  Effect.gen(function*() {
    const port = yield* freePort
    const silent = createServer((socket) => void setTimeout(() => socket.destroy(), 8_000))
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void silent.listen(port, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => void silent.close())
    )
    const all = yield* diagnose("api", {
      PORT: "0",
      DATABASE_URL: `postgresql://belltower@127.0.0.1:${port}/belltower`,
      BELLTOWER_SECRET: testSecret,
      KAFKA_BROKERS: "127.0.0.1:9",
      BELLTOWER_RDAP_URL: "https://127.0.0.1"
    })
    const seen = all.filter(({ check }) => check === "database" || check === "runners").map(({ check, state }) => [check, state])
    expect(seen).toEqual([["database", "failed"], ["runners", "skipped"]])
  }))
