/** Identities of probes, with real processes: strangers decide nothing, and a revoked probe is out within a minute. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Either, Redacted } from "effect"
import { Kafka, logLevel } from "kafkajs"
import { readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { RegionId } from "../../schema/check/Region.ts"
import { WorkspaceId } from "../../schema/Ids.ts"
import type { ProbeIdentity } from "../../schema/probe/ProbeIdentity.ts"
import { resultWire } from "../../src/bus/Wire.ts"
import { monitorShard } from "../../src/domain/monitor/MonitorShard.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { cellOf } from "../../src/store/SealedColumns.ts"
import { Vault } from "../../src/store/Vault.ts"
import { result } from "../bus/Fixtures.ts"
import { canRunKafka } from "../support/kafka/LocalKafka.ts"
import { freePort } from "../support/network/FreePort.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"
import { eventually } from "./support/Eventually.ts"
import { makeLocalCluster, makeWorkspace } from "./support/LocalCluster.ts"
import { newFolder, startProgram } from "./support/Program.ts"

const canRun = await canRunKafka()

describe.skipIf(!canRun)("a cluster", () => {
  it.scopedLive("believes no stranger at Kafka, and is rid of a revoked probe within a minute", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => void response.end())
      const cluster = yield* makeLocalCluster({ eu: 2, us: 1 }, { runners: 1 })
      const client = yield* makeWorkspace(cluster.baseUrl)
      const regions = ["eu", "us"].map((id) => RegionId.make(id))
      yield* eventually(
        "Both regions are known",
        "60 seconds",
        Effect.map(client.Monitors.list_regions({ urlParams: {} }), ({ data }) =>
          data.filter(({ healthy }) => healthy).length === 2 ? null : JSON.stringify(data))
      )
      const { id } = yield* client.Monitors.create_monitor({
        payload: {
          name: "Shop",
          url,
          intervalSec: 10,
          timeoutMs: 2000,
          failureThreshold: 1,
          regions,
          headers: { Authorization: "Bearer of the shop" }
        }
      })
      const monitor = client.Monitors.get_monitor({ path: { id }, urlParams: {} })
      yield* eventually(
        "The monitor is up",
        "60 seconds",
        Effect.map(monitor, ({ state }) =>
          state === "up" ? null : state)
      )

      const database = Database.layer(Redacted.make(cluster.databaseUrl), { maxConnections: 1, applicationName: "flow" })
      const [row] = yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql<{ readonly workspace: string; readonly revision: number }>`
            select workspace_id as workspace, revision from monitors where id = ${id}`),
        database
      )
      const now = yield* Clock.currentTimeMillis
      const made = regions.flatMap((region) =>
        [0, 1, 2].map((later): CheckResult => ({
          ...result(id, Math.floor(now / 10_000) + later),
          workspaceId: WorkspaceId.make(row?.workspace ?? ""),
          revision: row?.revision ?? 1,
          at: now,
          region,
          outcome: "down",
          error: "made up"
        }))
      )
      yield* Effect.promise(async () => {
        const producer = new Kafka({ brokers: [`127.0.0.1:${cluster.kafkaPort}`], logLevel: logLevel.NOTHING }).producer()
        await producer.connect()
        const messages = made.map((one) => ({ key: id, value: resultWire.encode(one), partition: monitorShard(one) }))
        await producer.send({ topic: "belltower.check-results", messages })
        await producer.disconnect()
      })
      const metrics = Effect.promise(() => fetch(`${cluster.runners[0]!.baseUrl}/metrics`).then((answer) => answer.text()))
      yield* eventually(
        "The runner has refused them",
        "30 seconds",
        Effect.map(metrics, (text) =>
          /belltower_bus_refused_messages_total\{topic="belltower.check-results",reason="unsigned"\} 6/.test(text)
            ? null
            : "not counted")
      )
      expect((yield* monitor).state).toBe("up")

      const list = Effect.promise(() =>
        cluster.command("probes")
      )
      const lines = (yield* list).split("\n").slice(1).map((line) =>
        line.split(/\s{2,}/)
      )
      expect(lines.map(([, region]) => region)).toEqual(["eu", "eu", "us"])

      const [probe] = cluster.probes["eu"]!
      const folder = probe!.dataDir
      const file = join(folder, "probe.json")
      expect(statSync(file).mode & 0o777).toBe(0o600)
      const identity: ProbeIdentity = JSON.parse(readFileSync(file, "utf8"))
      // The probe's files open nothing that is sealed in the database; the secret of the servers does.
      const [stored] = yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql<{ readonly sealed: string }>`select sealed from monitors where id = ${id}`),
        database
      )
      const opens = (secret: string) =>
        Effect.map(
          Effect.provide(Vault, Vault.layer(Redacted.make(secret))),
          ({ unsealed }) =>
            Either.isRight(unsealed(cellOf("monitors.sealed", id), stored?.sealed ?? ""))
        )
      const secret = readFileSync(join(dirname(folder), "secret"), "utf8").trim()
      expect(yield* opens(secret)).toBe(true)
      const own = [identity.probeId, identity.privateKey, identity.installation, ...identity.keys.map(({ key }) => key)]
      expect(yield* Effect.forEach(own, opens)).toEqual(own.map(() => false))
      expect(readFileSync(file, "utf8")).not.toContain(secret)

      const revokedAt = yield* Clock.currentTimeMillis
      expect(yield* Effect.promise(() => cluster.command("revoke-probe", identity.probeId)))
        .toBe(`Revoked the probe ${identity.probeId}; the region eu gets another key within seconds`)
      yield* eventually(
        "The revoked probe has ended",
        "60 seconds",
        Effect.sync(() => probe!.pid === null ? null : "it runs")
      )
      const endedAfter = (yield* Clock.currentTimeMillis) - revokedAt
      expect(probe!.lastExit).toBe("exit code 1")
      const [, other] = cluster.probes["eu"]!
      const keysOf = (dir: string): ProbeIdentity => JSON.parse(readFileSync(join(dir, "probe.json"), "utf8"))
      yield* eventually(
        "The other probe of the region has its next key",
        "60 seconds",
        Effect.sync(() => keysOf(other!.dataDir).keys.some(({ epoch }) => epoch === 2) ? null : "not yet")
      )
      expect(keysOf(folder).keys.map(({ epoch }) => epoch)).toEqual([1])
      expect(keysOf(folder).revoked).toBe(true)
      yield* eventually(
        "All assignments of the region are published under it",
        "60 seconds",
        Effect.provide(
          Effect.map(
            Effect.flatMap(SqlClient.SqlClient, (sql) =>
              sql<{ readonly published: number }>`select published from region_epochs where region = 'eu'`),
            ([epoch]) =>
              epoch?.published === 2 ? null : JSON.stringify(epoch)
          ),
          database
        )
      )
      const publishedAfter = (yield* Clock.currentTimeMillis) - revokedAt
      console.log(`revoked: ended after ${endedAfter} ms, all published under the next key after ${publishedAfter} ms`)
      expect(Math.max(endedAfter, publishedAfter)).toBeLessThan(60_000)
      expect(yield* list).toMatch(new RegExp(`${identity.probeId} +eu +revoked`))
      // A process that is server and probe enrols itself.
      yield* startProgram({
        folder: yield* newFolder,
        args: ["all"],
        env: {
          KAFKA_BROKERS: `127.0.0.1:${cluster.kafkaPort}`,
          DATABASE_URL: cluster.databaseUrl,
          BELLTOWER_SECRET: secret,
          BELLTOWER_REGION: "home",
          BELLTOWER_RUNNER_PORT: String(yield* freePort)
        }
      })
      yield* eventually(
        "The region of the process that does everything is healthy",
        "60 seconds",
        Effect.map(client.Monitors.list_regions({ urlParams: {} }), ({ data }) =>
          data.some((region) =>
              region.id === "home" && region.healthy
            )
            ? null
            : JSON.stringify(data))
      )
      expect(yield* list).toMatch(/prb_\w+ +home +active/)
      // The region goes on, with its other probe.
      const { lastCheck: before } = yield* monitor
      yield* eventually(
        "The monitor is checked",
        "60 seconds",
        Effect.map(monitor, ({ lastCheck, state }) =>
          lastCheck?.at !== before?.at && state === "up" ? null : state)
      )
    }), 240_000)
})
