/** Examines the ways between processes, and those to the outside. */
import { FetchHttpClient, HttpClient, HttpClientResponse } from "@effect/platform"
import { Array as Arr, Clock, Duration, Effect, Option, Redacted } from "effect"
import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import { parsedUrl } from "../../schema/UrlText.ts"
import { probeServices } from "../deployment/ProbeServices.ts"
import { clockSeen } from "../domain/health/ClockDiagnosis.ts"
import { failed, fine, orFine, type Seen, skipped, warning } from "../domain/health/Diagnosis.ts"
import { EgressGuard } from "../egress/EgressGuard.ts"
import { reasonOf } from "../loops/Outage.ts"
import { reachCanary, reachTarget } from "../probe/SelfCheck.ts"
import { type Diagnoses, examine, type Patient, runsChecks, together } from "./Examine.ts"
import { lookPort, servesHealth } from "./PortCheck.ts"
import { examineRunners } from "./RunnerChecks.ts"

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
