/** Examines the ways between runners and those who call them. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Exit, Layer, Option } from "effect"
import { ClusterIdentity } from "../../cluster/ClusterIdentity.ts"
import { dial } from "../../cluster/TlsSockets.ts"
import { secretsOf } from "../deployment/DeploymentSecrets.ts"
import { runnerAddressOf } from "../deployment/RunnerAddressOf.ts"
import { failed, orFine, type Seen, skipped } from "../domain/health/Diagnosis.ts"
import { reasonOf } from "../loops/Outage.ts"
import { clusterKeyName, InstallationKeys } from "../store/InstallationKeys.ts"
import { Vault } from "../store/Vault.ts"
import { connectionFor, sessionFor } from "./DatabaseChecks.ts"
import { type Diagnoses, examine, type Patient } from "./Examine.ts"
import { type HostPort, lookPort } from "./PortCheck.ts"

type Identity = Context.Tag.Service<ClusterIdentity>

/** OpenSSL's text for an alert of the other end says nothing to people. */
const tlsFault = (text: string): string => {
  const [, alert] = /:SSL routines:[^:]*:([^:]+):/.exec(text) ?? []
  return alert === undefined ? text : `it has other certificates or another key (TLS: ${alert})`
}

/** How processes of this installation know each other, as a layer; none if no process has made the key yet. */
const clusterIdentity = Effect.fnUntraced(function*({ settings }: Patient, sql: SqlClient.SqlClient) {
  if (Option.isSome(settings.clusterCertificates)) {
    return Option.some(ClusterIdentity.ofCertificates(settings.clusterCertificates.value))
  }
  const { present, previous } = yield* secretsOf(settings)
  const key = yield* Effect.flatMap(InstallationKeys, ({ find }) => find(clusterKeyName)).pipe(
    Effect.provide(InstallationKeys.Default),
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.provide(Vault.layer(present, previous))
  )
  return Option.map(key, ClusterIdentity.ofKey)
})

const answers = (identity: Identity, { host, port }: HostPort) =>
  Effect.scoped(dial(identity, host, port)).pipe(
    Effect.timeout("3 seconds"),
    Effect.match({
      onFailure: (error) => tlsFault(reasonOf("cause" in error && error.cause instanceof Error ? error.cause : error)),
      onSuccess: () => null
    })
  )

const portAdvice =
  "Open the port between the processes (BELLTOWER_RUNNER_PORT), check BELLTOWER_RUNNER_HOST of that runner, and " +
  "that all have the same database and certificates."

/** The runners that live, as the others know them. */
const listed = (patient: Patient, sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly address: string }>`
      select address from cluster_runners
      where last_heartbeat > now() - make_interval(secs => ${patient.settings.cluster.shardLockSec}::float8) order by address limit 100`,
    (rows) =>
      rows.map(({ address }): HostPort => {
        const at = address.lastIndexOf(":")
        return { host: address.slice(0, at), port: Number(address.slice(at + 1)) }
      })
  )

/** With the two seconds of its end, less than a check has: a database that hangs is not taken for a runner that does. */
const databaseLimit = "2 seconds"

/** Faults of the database or the secret are left to their own checks. */
const unasked = { known: null, isNew: false, seen: [skipped("Needs an answer of the checks database and secret")] }

const notStarted = { known: null, isNew: true, seen: [skipped("No process has started on this database yet")] }

/** Whether a process has started on the database. Fails if that does not answer. */
const asked = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly hasStarted: boolean }>`
      select to_regclass('installation_keys') is not null and to_regclass('cluster_runners') is not null as "hasStarted"`,
    ([row]) => ({ sql, hasStarted: row?.hasStarted === true })
  )

const lookRunners = (patient: Patient) =>
  Effect.gen(function*() {
    const connection = yield* connectionFor(patient)
    if (Option.isNone(connection)) return unasked
    const session = yield* Effect.flatMap(sessionFor(connection.value), asked).pipe(
      Effect.disconnect,
      Effect.timeout(databaseLimit),
      Effect.option
    )
    if (Option.isNone(session)) return unasked
    const { sql } = session.value
    if (!session.value.hasStarted) return notStarted
    const found = yield* Effect.exit(clusterIdentity(patient, sql))
    if (Exit.isFailure(found)) return unasked
    if (Option.isNone(found.value)) return notStarted
    const identity = Context.get(yield* Layer.build(found.value.value), ClusterIdentity)
    const runners = yield* listed(patient, sql)
    const faults = yield* Effect.forEach(runners, (address) =>
      Effect.map(answers(identity, address), (fault) => ({ fault, address })), {
      concurrency: 16
    })
    const wrong = faults.flatMap(({ fault, address: { host, port } }): ReadonlyArray<Seen> =>
      fault === null ? [] : [failed(`The runner at ${host}:${port} does not answer over mutual TLS: ${fault}`, portAdvice)]
    )
    const none = runners.length === 0 ? [skipped("No runner is alive now; run this again while they run")] : null
    return {
      known: identity,
      isNew: false,
      seen: none ?? orFine(wrong, `Runners that answer over mutual TLS: ${runners.length}`)
    }
  })

/** One process has its runner inside. */
const hasRunners = ({ role, settings }: Patient): boolean => role !== "probe" && settings.kafka.brokers.length > 0

export const examineRunners = (patient: Patient): ReadonlyArray<Diagnoses> => {
  if (!hasRunners(patient)) return []
  const own = Effect.flatMap(
    runnerAddressOf(patient),
    (address) =>
      lookPort("BELLTOWER_RUNNER_PORT", address, (at) =>
        Effect.scoped(lookRunners(patient)).pipe(
          Effect.flatMap(({ isNew, known }) =>
            known === null ? Effect.succeed(isNew ? false : null) : Effect.map(answers(known, at), (fault) => fault === null)
          ),
          Effect.catchAllCause(() => Effect.succeed(null))
        ))
  )
  return [
    ...(patient.role === "api" ? [] : [examine("runner port", portAdvice, own)]),
    examine("runners", portAdvice, Effect.map(lookRunners(patient), ({ seen }) => seen))
  ]
}
