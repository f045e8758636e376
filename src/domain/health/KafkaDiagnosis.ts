/** The meaning of what Kafka says about its brokers and the topics of the bus. */
import { failed, orFine, type Seen, warning } from "./Diagnosis.ts"

export interface SeenPartition {
  /** The broker that leads it; -1 if none does. */
  readonly leader: number
  readonly replicas: number
  readonly inSync: number
}

export interface SeenTopic {
  readonly topic: string
  /** `missing`, or `hidden` if this user may not see it. */
  readonly presence: "there" | "missing" | "hidden"
  readonly partitions: ReadonlyArray<SeenPartition>
  readonly mayRead: boolean
  readonly mayWrite: boolean
}

/** Requirements of the program on a topic. */
export interface WantedTopic {
  readonly topic: string
  readonly partitions: number
  /** Whether the number of partitions is a must, as for results. */
  readonly isExact: boolean
  readonly reads: boolean
  readonly writes: boolean
}

interface KafkaView {
  readonly brokers: number
  readonly topics: ReadonlyArray<SeenTopic>
}

const access = "belltower kafka-setup gives it access; --print shows the rules."

const topicSeen =
  (brokers: number, makesTopics: boolean) => (wanted: WantedTopic, seen: SeenTopic | undefined): ReadonlyArray<Seen> => {
    if (seen?.presence === "hidden") {
      return [failed(`This user may not see the topic ${wanted.topic}`, `${access} Or KAFKA_TOPIC_PREFIX is another one.`)]
    }
    if (seen === undefined || seen.presence === "missing") {
      return [
        makesTopics
          ? warning(`The topic ${wanted.topic} is missing`, "A server makes it at its start, if its user may (create).")
          : failed(
            `The topic ${wanted.topic} is missing`,
            "Run belltower kafka-setup, or start a server with KAFKA_CREATE_TOPICS=on."
          )
      ]
    }
    const { partitions, topic } = { topic: wanted.topic, partitions: seen.partitions }
    const without = partitions.filter(({ leader }) => leader < 0).length
    const behind = partitions.filter(({ inSync, replicas }) => inSync < replicas).length
    return [
      ...(wanted.isExact && partitions.length < wanted.partitions
        ? [
          failed(
            `The topic ${topic} has ${partitions.length} of ${wanted.partitions} partitions`,
            "Add the others: one for each shard."
          )
        ]
        : []),
      ...(without === 0
        ? []
        : [failed(`Partitions of the topic ${topic} without a leader: ${without}`, "Start the brokers that hold them.")]),
      ...(without > 0 || behind === 0
        ? []
        : [
          warning(
            `Partitions of the topic ${topic} with a replica that lags behind: ${behind}`,
            "Find out which broker is away or slow."
          )
        ]),
      ...(brokers > 1 && partitions.some(({ replicas }) => replicas < 2)
        ? [warning(
          `The topic ${topic} is on one of ${brokers} brokers only`,
          "Give it more replicas (kafka-reassign-partitions): while that broker is away, nothing of it is read or written."
        )]
        : [])
    ]
  }

export const topicsSeen = (
  { brokers, topics }: KafkaView,
  wanted: ReadonlyArray<WantedTopic>,
  makesTopics: boolean
): ReadonlyArray<Seen> => {
  const judge = topicSeen(brokers, makesTopics)
  const wrong = wanted.flatMap((one) => judge(one, topics.find(({ topic }) => topic === one.topic)))
  return orFine(wrong, `All ${wanted.length} topics of this process are there, and every partition has its replicas`)
}

/** Rights that the brokers say this user has. */
export const accessSeen = (topics: ReadonlyArray<SeenTopic>, wanted: ReadonlyArray<WantedTopic>): ReadonlyArray<Seen> => {
  const there = wanted.flatMap((one) => {
    const seen = topics.find(({ presence, topic }) => topic === one.topic && presence === "there")
    return seen === undefined ? [] : [{ ...one, seen }]
  })
  const lacks = (verb: string, names: ReadonlyArray<string>): ReadonlyArray<Seen> =>
    names.length === 0 ? [] : [failed(`This user may not ${verb} ${names.join(", ")}`, access)]
  const wrong = [
    ...lacks("read", there.filter(({ reads, seen }) => reads && !seen.mayRead).map(({ topic }) => topic)),
    ...lacks("write to", there.filter(({ seen, writes }) => writes && !seen.mayWrite).map(({ topic }) => topic))
  ]
  return orFine(wrong, `This user may read and write the ${there.length} topics as this process does`)
}

/** The settings of a topic beside those that the program gives a new one. */
export const retentionSeen = (
  topic: string,
  wanted: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>
): ReadonlyArray<Seen> => {
  const policy = given["cleanup.policy"]
  const [kept, wantedKept] = [Number(given["retention.ms"]), Number(wanted["retention.ms"])]
  return [
    ...(policy === undefined || policy === wanted["cleanup.policy"] ? [] : [failed(
      `The topic ${topic} has cleanup.policy=${policy}`,
      `Set it to ${wanted["cleanup.policy"]}: otherwise assignments are lost, or topics grow without end.`
    )]),
    ...(kept >= 0 && kept < wantedKept
      ? [
        warning(
          `The topic ${topic} keeps ${kept / 1000} s`,
          `Set retention.ms to ${wantedKept}: what is older is lost in an outage.`
        )
      ]
      : [])
  ]
}
