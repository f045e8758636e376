/** Settings of what connects the processes of a cluster: Kafka, and the proof that they belong together. */
import { Config, ConfigError, DateTime, Effect, Either, Option, Redacted } from "effect"
import type { X509Certificate } from "node:crypto"
import { createSecureContext } from "node:tls"
import { type ClusterCertificates, tlsOf } from "../../cluster/ClusterIdentity.ts"
import type { KafkaSasl, KafkaTls } from "../bus/kafka/KafkaClient.ts"
import { defaultResultsHours } from "../bus/kafka/TopicPlans.ts"
import { certificatesIn } from "../domain/monitor/settings/TlsSettings.ts"
import { reasonOf } from "../loops/Outage.ts"
import { allOrNone, items, oneOf, onOrOff, orDefault, pemFile, requires, secret, variable, whole } from "./SettingTypes.ts"

const kafkaSasl: Config.Config<Option.Option<KafkaSasl>> = allOrNone(
  ["KAFKA_SASL_MECHANISM", "KAFKA_SASL_USERNAME", "KAFKA_SASL_PASSWORD"],
  "set the mechanism, the username and the password",
  Config.all({
    mechanism: Config.option(oneOf<KafkaSasl["mechanism"]>("KAFKA_SASL_MECHANISM", ["plain", "scram-sha-256", "scram-sha-512"])),
    username: Config.option(Config.string("KAFKA_SASL_USERNAME")),
    password: Config.option(secret("KAFKA_SASL_PASSWORD"))
  })
)

/** TLS to the brokers; null is plain text. Without a CA, those of Node are trusted. */
const kafkaTls: Config.Config<KafkaTls | null> = Config.all({
  on: onOrOff("KAFKA_TLS", "off"),
  ca: Config.option(pemFile("KAFKA_TLS_CA")),
  cert: Config.option(pemFile("KAFKA_TLS_CERT")),
  key: Config.option(Config.map(pemFile("KAFKA_TLS_KEY"), Redacted.make))
}).pipe(Config.mapOrFail(({ on, ...files }) => {
  if (!on && Object.values(files).some(({ _tag }) => _tag === "Some")) {
    return requires("KAFKA_TLS", "certificates are used with KAFKA_TLS=on only")
  }
  if (Option.isSome(files.cert) !== Option.isSome(files.key)) {
    return requires(Option.isSome(files.cert) ? "KAFKA_TLS_KEY" : "KAFKA_TLS_CERT", "set both, or neither")
  }
  const [ca, cert, key] = [files.ca, files.cert, Option.map(files.key, Redacted.value)].map(Option.getOrUndefined)
  return Either.try({
    try: () => {
      createSecureContext({ ca, cert, key })
      return on ? files : null
    },
    catch: (error) =>
      ConfigError.InvalidData(
        [cert === undefined ? "KAFKA_TLS_CA" : "KAFKA_TLS_CERT"],
        `and the other files of KAFKA_TLS must be authorities, a certificate and its key: ${reasonOf(error)}`
      )
  })
}))

const broker = /^[a-z0-9._-]+:(\d{1,5})$/i

/** The longest name of a topic in Kafka has 249 characters. */
const topicPrefix = variable("KAFKA_TOPIC_PREFIX", (text) =>
  /^[A-Za-z0-9._-]{1,150}$/.test(text)
    ? Either.right(text)
    : Either.left(`must be 1 to 150 letters, digits, dots, hyphens and underscores, not "${text}"`))

/** Apache Kafka, which carries checks between processes; no brokers for one process. */
export const kafkaSettings = Config.all({
  brokers: items(
    "KAFKA_BROKERS",
    (item) => Number(broker.exec(item)?.[1]) <= 65_535,
    "names or IPv4 addresses with a port, such as kafka.example.com:9092"
  ),
  topicPrefix: orDefault("KAFKA_TOPIC_PREFIX", topicPrefix, "belltower."),
  partitions: whole("KAFKA_PARTITIONS", 1, 1000, 16),
  resultsHours: whole("KAFKA_RESULTS_HOURS", 1, 720, defaultResultsHours),
  replication: whole("KAFKA_REPLICATION", 1, 10).pipe(Config.option),
  createTopics: onOrOff("KAFKA_CREATE_TOPICS", "on"),
  tls: kafkaTls,
  sasl: kafkaSasl
})

const reachable = (name: string) =>
  Config.option(variable(name, (text) =>
    /^[\w.:%-]+$/.test(text) && text !== "0.0.0.0" && text !== "::"
      ? Either.right(text)
      : Either.left(`must be an address of this machine at which other processes reach it, not "${text}"`)))

/** The address at which other processes reach the runner. Kubernetes can tell a container the address of its pod. */
export const runnerHost = Config.all([reachable("BELLTOWER_RUNNER_HOST"), reachable("POD_IP")]).pipe(
  Config.map(([own, pod]) => Option.orElse(own, () => pod))
)

/** Whether a certificate was signed by one of the authority, or by one that comes with it. */
const isSigned = ({ authority, certificate }: ClusterCertificates): boolean => {
  const [own, ...chain] = certificatesIn(certificate)
  return own !== undefined &&
    [...chain, ...certificatesIn(authority)].some((one) => own.checkIssued(one) && own.verify(one.publicKey))
}

/** A line if other processes refuse the certificate now, because its time has passed or has not come. */
export const outdatedCertificate = (given: Option.Option<ClusterCertificates>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(DateTime.now, (now) => {
    const own = Option.flatMap(given, ({ certificate }) => Option.fromNullable(certificatesIn(certificate)[0]))
    return Option.toArray(own).flatMap(({ validFromDate, validToDate }) => {
      const [from, to] = [DateTime.unsafeMake(validFromDate), DateTime.unsafeMake(validToDate)]
      return DateTime.between(now, { minimum: from, maximum: to })
        ? []
        : [`BELLTOWER_CLUSTER_CERT is valid from ${DateTime.formatIso(from)} to ${DateTime.formatIso(to)} only. Replace it.`]
    })
  })

/** The certificates by which this process proves who it is, by the settings that name their files. */
export const ownCertificates = (
  { certificates, tls }: { readonly certificates: Option.Option<ClusterCertificates>; readonly tls: KafkaTls | null }
): ReadonlyArray<readonly [setting: string, certificate: X509Certificate]> => {
  const files = {
    BELLTOWER_CLUSTER_CERT: Option.map(certificates, ({ certificate }) => certificate),
    KAFKA_TLS_CERT: tls?.cert ?? Option.none()
  }
  return Object.entries(files).flatMap(([setting, file]) => {
    const [own] = certificatesIn(Option.getOrElse(file, () => ""))
    return own === undefined ? [] : [[setting, own] as const]
  })
}

/** Certificates of an authority of the operator, for connections between the processes of the cluster. */
export const clusterCertificates = allOrNone(
  ["BELLTOWER_CLUSTER_CA", "BELLTOWER_CLUSTER_CERT", "BELLTOWER_CLUSTER_KEY"],
  "set the authority, the certificate and its key",
  Config.all({
    authority: Config.option(pemFile("BELLTOWER_CLUSTER_CA")),
    certificate: Config.option(pemFile("BELLTOWER_CLUSTER_CERT")),
    key: Config.option(Config.map(pemFile("BELLTOWER_CLUSTER_KEY"), Redacted.make))
  })
).pipe(Config.mapOrFail((given) =>
  Either.try({
    try: () => {
      if (Option.isSome(given)) createSecureContext(tlsOf(given.value))
      return Option.filter(given, isSigned)
    },
    catch: (error) =>
      ConfigError.InvalidData(
        ["BELLTOWER_CLUSTER_KEY"],
        `and the other two must be a key, its certificate and its authority: ${reasonOf(error)}`
      )
  }).pipe(Either.filterOrLeft(
    (signed) => Option.isSome(signed) || Option.isNone(given),
    () => ConfigError.InvalidData(["BELLTOWER_CLUSTER_CERT"], "must be signed by the authority of BELLTOWER_CLUSTER_CA")
  ))
))
