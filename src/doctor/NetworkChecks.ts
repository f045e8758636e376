/** Examines the ways between processes, and those to the outside. */
import { FetchHttpClient, HttpClient, HttpClientResponse } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Array as Arr, Clock, Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { lookup } from "node:dns/promises"
import { createServer, isIP } from "node:net"
import { ClusterIdentity } from "../../cluster/ClusterIdentity.ts"
import { dial } from "../../cluster/TlsSockets.ts"
import { parsedUrl } from "../../schema/UrlText.ts"
import { runnerAddressOf } from "../DeploymentCluster.ts"
import { secretsOf } from "../DeploymentSecrets.ts"
import { clockSeen } from "../domain/health/ClockDiagnosis.ts"
import { failed, fine, orFine, type Seen, skipped, warning } from "../domain/health/Diagnosis.ts"
import { EgressGuard } from "../egress/EgressGuard.ts"
import { reasonOf } from "../loops/Outage.ts"
import { reachCanary, reachTarget } from "../probe/SelfCheck.ts"
import { probeServices } from "../ProcessServices.ts"
import { clusterKeyName, InstallationKeys } from "../store/InstallationKeys.ts"
import { Vault } from "../store/Vault.ts"
import { connectionFor, sessionFor } from "./DatabaseChecks.ts"
import { type Diagnoses, examine, type Patient, runsChecks, together } from "./Examine.ts"

interface Place {
  readonly host: string
  readonly port: number
}

/** The code of the failure to listen there, such as EADDRINUSE; null if it works. */
const listenFault = ({ host, port }: Place) =>
  Effect.async<string | null>((resume) => {
    const server = createServer()
    server.once("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code ?? error.message)))
    server.listen(port, host, () => server.close(() => resume(Effect.succeed(null))))
    return Effect.sync(() => server.close())
  })

const isReadiness = Schema.is(Schema.Struct({ ready: Schema.Boolean }))

/** Whether a process of this program serves there. */
const servesHealth = ({ host, port }: Place) =>
  HttpClient.get(`http://${host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host}:${port}/readyz`).pipe(
    Effect.flatMap((response) => response.json),
    Effect.match({ onFailure: () => false, onSuccess: (answer) => isReadiness(answer) }),
    Effect.provide(FetchHttpClient.layer)
  )

const listenAdvice: Readonly<Record<string, string>> = {
  EADDRINUSE: "Stop the other program, or set another port.",
  EACCES: "Set a port from 1024 on, and let a proxy listen on the other one.",
  EADDRNOTAVAIL: "Set an address of this machine."
}

/** `serves`: whether a process of this program answers there already. */
const lookPort = (name: string, place: Place, serves: (place: Place) => Effect.Effect<boolean>) =>
  Effect.gen(function*() {
    const at = `${place.host}:${place.port} (${name})`
    const fault = place.port === 0 ? null : yield* listenFault(place)
    if (fault === null) return [fine(`A process can listen on ${at}`)]
    if (fault === "EADDRINUSE" && (yield* serves(place))) return [fine(`A process of Belltower serves on ${at}`)]
    return [failed(`A process cannot listen on ${at}: ${fault}`, listenAdvice[fault] ?? `Set ${name} to a port that is free.`)]
  })

type Identity = Context.Tag.Service<ClusterIdentity>

/** How processes of this installation know each other; none if no process has made the key yet. */
const clusterIdentity = Effect.fnUntraced(function*({ settings }: Patient, sql: SqlClient.SqlClient) {
  const { present, previous } = yield* secretsOf(settings)
  const own = Option.isSome(settings.clusterCertificates)
    ? Option.some(ClusterIdentity.ofCertificates(settings.clusterCertificates.value))
    : Option.map(
      yield* Effect.flatMap(InstallationKeys, ({ find }) => find(clusterKeyName)).pipe(
        Effect.provide(InstallationKeys.Default),
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.provide(Vault.layer(present, previous))
      ),
      ClusterIdentity.ofKey
    )
  return Option.isNone(own)
    ? Option.none<Identity>()
    : Option.some(Context.get(yield* Layer.build(own.value), ClusterIdentity))
})

const answers = (identity: Identity, { host, port }: Place) =>
  Effect.scoped(dial(identity, host, port)).pipe(
    Effect.timeout("3 seconds"),
    Effect.match({
      onFailure: (error) => reasonOf("cause" in error && error.cause instanceof Error ? error.cause : error),
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
      rows.map(({ address }): Place => {
        const at = address.lastIndexOf(":")
        return { host: address.slice(0, at), port: Number(address.slice(at + 1)) }
      })
  )

const lookRunners = (patient: Patient) =>
  Effect.gen(function*() {
    const connection = yield* connectionFor(patient)
    if (Option.isNone(connection)) return { known: null, seen: [skipped("Needs a database that runs")] }
    const sql = yield* sessionFor(connection.value)
    const identity = yield* clusterIdentity(patient, sql)
    if (Option.isNone(identity)) return { known: null, seen: [skipped("No process has started on this database yet")] }
    const places = yield* listed(patient, sql)
    const faults = yield* Effect.forEach(places, (place) =>
      Effect.map(answers(identity.value, place), (fault) => ({ fault, place })), {
      concurrency: 16
    })
    const wrong = faults.flatMap(({ fault, place: { host, port } }): ReadonlyArray<Seen> =>
      fault === null ? [] : [failed(`The runner at ${host}:${port} does not answer over mutual TLS: ${fault}`, portAdvice)]
    )
    const none = places.length === 0 ? [skipped("No runner is alive now; run this again while they run")] : null
    return { known: identity.value, seen: none ?? orFine(wrong, `Runners that answer over mutual TLS: ${places.length}`) }
  })

/** One process has its runner inside. */
const hasRunners = ({ role, settings }: Patient): boolean => role !== "probe" && settings.kafka.brokers.length > 0

const examineRunners = (patient: Patient): ReadonlyArray<Diagnoses> => {
  if (!hasRunners(patient)) return []
  const own = Effect.flatMap(
    runnerAddressOf(patient),
    (place) =>
      lookPort("BELLTOWER_RUNNER_PORT", place, (at) =>
        Effect.scoped(lookRunners(patient)).pipe(
          Effect.flatMap(({ known }) =>
            known === null ? Effect.succeed(false) : Effect.map(answers(known, at), (fault) => fault === null)
          ),
          Effect.catchAllCause(() => Effect.succeed(false))
        ))
  )
  return [
    ...(patient.role === "api" ? [] : [examine("runner port", portAdvice, own)]),
    examine("runners", portAdvice, Effect.map(lookRunners(patient), ({ seen }) => seen))
  ]
}

const urlAdvice = "Check BELLTOWER_URL, its DNS record, the proxy in front of the apis, and that an api runs."

/** The address of the installation, and the time there. A probe needs it only to enrol. */
const lookUrl = ({ baseUrl }: Patient) =>
  Effect.gen(function*() {
    const before = yield* Clock.currentTimeMillis
    const response = yield* HttpClient.get(`${baseUrl}/healthz`)
    const after = yield* Clock.currentTimeMillis
    yield* HttpClientResponse.filterStatusOk(response)
    const said = Date.parse(response.headers["date"] ?? "")
    const answer = fine(`${baseUrl} answers in ${after - before} ms`)
    // The header has whole seconds.
    return Number.isNaN(said)
      ? [answer]
      : [answer, clockSeen(`that of ${baseUrl}`, (before + after) / 2 - said - 500, (after - before) / 2 + 500)]
  }).pipe(
    Effect.provide(FetchHttpClient.layer),
    Effect.catchAll((error) => Effect.succeed([warning(`${baseUrl} does not answer: ${reasonOf(error)}`, urlAdvice)]))
  )

const hostOf = (url: string): ReadonlyArray<string> => {
  const found = parsedUrl(url)
  const host = (found?.searchParams.get("host") ?? found?.hostname ?? "").replace(/^\[(.*)\]$/, "$1")
  return host === "" || host.startsWith("/") || isIP(host) !== 0 ? [] : [host]
}

/** The names in the settings that this process connects to. */
const namesOf = ({ role, settings: { baseUrl, databaseUrl, kafka, smtpUrl } }: Patient): ReadonlyArray<string> =>
  Arr.dedupe([
    ...(role === "probe"
      ? []
      : [...Option.toArray(databaseUrl), ...Option.toArray(smtpUrl)].flatMap((url) => hostOf(Redacted.value(url)))),
    ...kafka.brokers.flatMap((broker) => hostOf(`tcp://${broker}`)),
    ...Option.toArray(baseUrl).flatMap(hostOf)
  ])

const slowMs = 500
const dnsAdvice = "Check the name, /etc/resolv.conf and the name servers."

const lookNames = (names: ReadonlyArray<string>) =>
  Effect.forEach(
    names,
    (name) =>
      Effect.timed(Effect.either(Effect.tryPromise({ try: () => lookup(name), catch: reasonOf }))).pipe(
        Effect.map(([took, found]) => ({
          name,
          ms: Math.round(Duration.toMillis(took)),
          fault: found._tag === "Left" ? found.left : null
        }))
      ),
    { concurrency: "unbounded" }
  ).pipe(Effect.map((all) =>
    names.length === 0 ? [skipped("The settings name no host but addresses")] : orFine(
      all.flatMap(({ fault, ms, name }): ReadonlyArray<Seen> =>
        fault !== null
          ? [failed(`${name} does not resolve: ${fault}`, dnsAdvice)]
          : ms > slowMs
          ? [warning(`${name} took ${ms} ms to resolve`, dnsAdvice)]
          : []
      ),
      `${names.join(", ")}: resolved in ${Math.max(...all.map(({ ms }) => ms))} ms at most`
    )
  ))

const metadata = "169.254.169.254"

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]

const egressAdvice = "Let the process reach the internet directly. Without internet, set the addresses of other services and " +
  "BELLTOWER_ALLOW_TARGETS (docs/operations.md)."

const lookEgress = Effect.fnUntraced(function*({ settings }: Patient, environment: ReadonlySet<string>) {
  const guard = yield* EgressGuard
  const host = hostOf(settings.rdapUrl)[0] ?? ""
  const canReach = host === "" || (yield* reachTarget(guard, { host, port: 443 }))
  const canaries = yield* Effect.forEach(
    settings.canaries,
    (canary) => Effect.map(reachCanary(guard, canary), (isReached) => ({ ...canary, isReached })),
    { concurrency: "unbounded" }
  )
  const away = canaries.filter(({ isReached }) => !isReached).map(({ host: name, port }) => `${name}:${port}`)
  const proxies = proxyVariables.filter((name) => environment.has(name))
  const wrong = [
    ...(canReach ? [] : [warning(`${host}:443 cannot be reached, the directory of domain monitors`, egressAdvice)]),
    ...(away.length === 0
      ? []
      : [(away.length === canaries.length ? failed : warning)(
        `The canaries ${away.join(", ")} cannot be reached`,
        "While none of them can be, no result of this probe counts."
      )]),
    ...(proxies.length === 0
      ? []
      : [warning(`${proxies.join(", ")} is set, and is not used: checks and alerts connect directly`, egressAdvice)]),
    ...(guard.refusalOf(metadata) === null
      ? [warning(
        `BELLTOWER_ALLOW_TARGETS opens ${metadata}, where clouds give credentials to their machines`,
        "Name the ranges of your own targets instead."
      )]
      : [])
  ]
  const ranges = settings.allowTargets.forAll.length
  return orFine(
    wrong,
    `${host === "" ? "" : `${host} can be reached; `}targets are public${ranges === 0 ? "" : `, or in ${ranges} allowed ranges`}`
  )
})

/** `environment`: the names of the variables that are set. */
export const examineNetwork = (patient: Patient, environment: ReadonlySet<string>): Diagnoses => {
  const { role, settings } = patient
  const { host, metricsPort, port } = settings
  return together([
    examine("port", "Set PORT.", lookPort("PORT", { host, port }, servesHealth)),
    ...(role === "probe" ?
      [] :
      Option.toArray(metricsPort).map((own) =>
        examine(
          "metrics port",
          "Set BELLTOWER_METRICS_PORT.",
          lookPort("BELLTOWER_METRICS_PORT", { host, port: own }, servesHealth)
        )
      )),
    ...examineRunners(patient),
    examine(
      "address",
      urlAdvice,
      Option.isNone(settings.baseUrl) ? Effect.succeed([skipped("BELLTOWER_URL is not set")]) : lookUrl(patient)
    ),
    examine("dns", dnsAdvice, lookNames(namesOf(patient))),
    examine(
      "egress",
      egressAdvice,
      runsChecks(patient) || role === "runner"
        ? Effect.provide(lookEgress(patient, environment), probeServices(patient))
        : Effect.succeed([skipped("An api makes no checks and no deliveries")])
    )
  ])
}
