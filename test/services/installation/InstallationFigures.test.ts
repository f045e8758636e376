/** The figures of the installation: the age of its backup, and the expiry of the certificate at its public address. */
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { X509Certificate } from "node:crypto"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import { BaseUrl } from "../../../src/links/BaseUrl.ts"
import { InstallationFigures } from "../../../src/services/installation/InstallationFigures.ts"
import { loopback } from "../../notify/alert/Receiver.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { metricValue } from "../../support/measure/MetricValue.ts"
import { openWorkshop } from "../../support/targets/CertificateWorkshop.ts"
import { until } from "../../support/time/Until.ts"

const secureServer = Effect.acquireRelease(
  Effect.async<{ readonly host: string; readonly expiresAt: number }>((resume) => {
    const workshop = openWorkshop()
    // It is trusted by nobody, and expires in three days.
    const made = workshop.make({ name: "127.0.0.1", altName: "IP:127.0.0.1", to: 3 })
    workshop.close()
    const server = createServer({ key: made.key, cert: made.cert }, (_, response) => void response.end())
    server.unref().listen(0, "127.0.0.1", () =>
      resume(Effect.succeed({
        host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
        expiresAt: Date.parse(new X509Certificate(made.cert).validTo) / 1000
      })))
  }),
  () => Effect.void
)

it.scopedLive("the expiry is that of the certificate at the address, trusted or not; the age is that of the newest backup", () =>
  Effect.gen(function*() {
    const { expiresAt, host } = yield* secureServer
    const database = yield* Layer.build(TestDatabase)
    const sql = yield* SqlClient.SqlClient.pipe(Effect.provide(database))
    const age = metricValue("belltower_backup_age_seconds")
    expect(yield* age).toBeNull()
    yield* sql`insert into backups (taken_at, finished_at) values (now() - interval '1 hour', now())`
    yield* Layer.build(
      InstallationFigures.pipe(
        Layer.provide([Layer.succeed(BaseUrl, `https://${host}`), EgressGuard.Default({ allow: loopback })]),
        Layer.provide(Layer.succeedContext(database))
      )
    )
    expect(yield* until(metricValue("belltower_certificate_expiry_timestamp_seconds", { host }), (at) => at !== null)).toBe(
      expiresAt
    )
    const seconds = yield* until(age, (found) => found !== null)
    expect(Math.abs(Number(seconds) - 3_600)).toBeLessThan(60)
    expect(yield* metricValue("belltower_database_rows", { table: "monitors" })).toBe(0)
  }))
