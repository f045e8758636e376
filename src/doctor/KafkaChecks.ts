/** Examines the brokers as a process would use them. Makes no topic, joins no group and sends no message. */
import { Effect, Option } from "effect"
import { RegionId } from "../../schema/check/Region.ts"
import { probesAccess } from "../bus/kafka/KafkaAccess.ts"
import { makeKafkaClient } from "../bus/kafka/KafkaClient.ts"
import { inspectKafka, topicSettings } from "../bus/kafka/KafkaInspection.ts"
import { regionPlans, sharedPlans, type TopicPlan } from "../bus/kafka/TopicPlans.ts"
import { foreseenIdentity } from "../deployment/ProbeIdentity.ts"
import { failed, orFine, type Seen, skipped } from "../domain/health/Diagnosis.ts"
import { accessSeen, retentionSeen, topicsSeen, type WantedTopic } from "../domain/health/KafkaDiagnosis.ts"
import { connectionFor, sessionFor } from "./DatabaseChecks.ts"
import { type Diagnoses, examine, examineFirst, type Patient, together } from "./Examine.ts"

const reach = "Check KAFKA_BROKERS, the listeners that the brokers advertise, TLS, the user's password, and firewalls between."

/** The regions whose topics a server uses: those in the database. */
const knownRegions = (patient: Patient) =>
  Effect.flatMap(
    connectionFor(patient),
    Option.match({
      onNone: () => Effect.succeed([]),
      onSome: (connection) =>
        Effect.flatMap(sessionFor(connection), (sql) => sql<{ readonly id: string }>`select id from regions order by id`).pipe(
          Effect.map((rows) => rows.map(({ id }) => RegionId.make(id))),
          Effect.scoped
        )
    })
  ).pipe(
    Effect.disconnect,
    Effect.timeout("2 seconds"),
    Effect.orElseSucceed((): ReadonlyArray<RegionId> => [])
  )

/** The region of the identity, else of the settings; none if neither names one. */
const regionOfProbe = ({ settings }: Patient) =>
  Effect.map(Effect.option(foreseenIdentity(settings)), (found) => {
    const identity = Option.flatMap(found, ({ identity }) => identity)
    return Option.toArray(Option.orElse(Option.map(identity, ({ region }) => region), () => settings.probeRegion))
  })

interface Wanted {
  readonly plans: ReadonlyArray<TopicPlan>
  readonly topics: ReadonlyArray<WantedTopic>
}

const wantedOf = (patient: Patient, regions: ReadonlyArray<RegionId>): Wanted => {
  const { role, settings: { kafka } } = patient
  const shared = sharedPlans(kafka)
  const plans = [...shared, ...regions.flatMap((region) => regionPlans(kafka, region))]
  const rules = role === "probe"
    ? regions.flatMap((region) => probesAccess(kafka.topicPrefix, region, "")).filter(({ resource }) => resource === "topic")
    : null
  const may = (topic: string, operation: "read" | "write") =>
    rules === null || rules.some(({ name, operations }) => name === topic && operations.includes(operation))
  return {
    plans,
    topics: plans.map(({ partitions, topic }) => ({
      topic,
      partitions,
      isExact: topic === shared[0]?.topic,
      reads: may(topic, "read"),
      writes: may(topic, "write")
    }))
  }
}

const brokersSeen = (brokers: ReadonlyArray<{ readonly address: string; readonly fault: string | null }>): ReadonlyArray<Seen> =>
  orFine(
    brokers.flatMap(({ address, fault }) =>
      fault === null ? [] : [failed(
        `The broker ${address} cannot be reached: ${fault}`,
        "Its address is what the brokers advertise (advertised.listeners): it must be reachable from here."
      )]
    ),
    `Brokers that answer, in versions that this program speaks: ${brokers.map(({ address }) => address).join(", ")}`
  )

const lookRetention = (client: Effect.Effect.Success<ReturnType<typeof makeKafkaClient>>, plans: ReadonlyArray<TopicPlan>) =>
  Effect.map(
    topicSettings(client, plans.map(({ topic }) => topic)),
    Option.match({
      onNone: (): ReadonlyArray<Seen> => [skipped("This user may not see the settings of topics, or they are missing")],
      onSome: (found) =>
        orFine(
          plans.flatMap(({ config, topic }) => retentionSeen(topic, config, found.get(topic) ?? {})),
          "The topics keep their messages as long as they should"
        )
    })
  )

const examineBrokers = Effect.fnUntraced(function*(patient: Patient) {
  const { role, settings: { kafka } } = patient
  const client = yield* makeKafkaClient(kafka, Effect.void)
  const regions = role === "probe" ? yield* regionOfProbe(patient) : yield* knownRegions(patient)
  const { plans, topics } = wantedOf(patient, regions)
  const makesTopics = role !== "probe" && kafka.createTopics
  const look = Effect.map(
    inspectKafka(client, topics.map(({ topic }) => topic)),
    (answer) => ({ answer, seen: brokersSeen(answer.brokers) })
  )
  return yield* examineFirst(
    "kafka",
    reach,
    look,
    ["kafka topics", "kafka access", "kafka retention"],
    ({ brokers, topics: seen }) =>
      together([
        examine(
          "kafka topics",
          reach,
          Effect.succeed(topicsSeen({ brokers: brokers.length, topics: seen }, topics, makesTopics))
        ),
        examine("kafka access", reach, Effect.succeed(accessSeen(seen, topics))),
        examine("kafka retention", reach, lookRetention(client, plans))
      ])
  )
})

export const examineKafka = (patient: Patient): Diagnoses =>
  patient.settings.kafka.brokers.length === 0
    ? Effect.succeed([{ ...skipped("KAFKA_BROKERS is not set: checks stay in the process"), check: "kafka" }])
    : examineBrokers(patient)
