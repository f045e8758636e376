// The faults: each begins when it is called, and returns how it ends. A fault ends when what it broke is there again. One that may
// lose checks says to `mayLose` how many at most: what a process held in memory, or a topic that is deleted.
import { Kafka, logLevel } from "kafkajs"
import { randomUUID } from "node:crypto"
import { badNetwork } from "./link.mjs"
import { freeze, thaw } from "./processes.mjs"

/** Nobody starts them again before the end. */
const killed = async (members) => {
  await Promise.all(members.map((member) => member.kill()))
  await Promise.all(members.map((member) => member.stop()))
  return () => Promise.all(members.map((member) => member.start()))
}

const frozen = (members) => {
  members.forEach(freeze)
  return () => members.forEach(thaw)
}

/** Of the checks that a probe has under way or has not sent yet, within a second each, and of those in a topic. */
const inHand = 20

/** Runs one command of an administrator, at whichever brokers answer. */
const withAdmin = async ({ addresses }, use) => {
  const kafka = new Kafka({ clientId: `chaos-${randomUUID()}`, brokers: addresses, logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  try {
    return await use(admin)
  } finally {
    await admin.disconnect()
  }
}

/** Sets one setting of a topic, and returns its former value. The others are sent again: Kafka replaces all that are its own. */
const setTopic = async (admin, topic, name, value) => {
  const { resources: [found] } = await admin.describeConfigs({ resources: [{ type: 2, name: topic }], includeSynonyms: false })
  const own = found.configEntries.filter((one) => one.configSource === 1 && one.configName !== name)
  const entries = own.map(({ configName, configValue }) => ({ name: configName, value: configValue }))
  await admin.alterConfigs({ resources: [{ type: 2, name: topic, configEntries: [...entries, { name, value }] }] })
  return found.configEntries.find((one) => one.configName === name).configValue
}

const prefix = "belltower."
const sharedTopics = ["check-results", "probe-beats", "check-replies", "probe-control"]
const topicsOf = ({ regions }) => [
  ...sharedTopics,
  ...regions.flatMap((region) => [`monitor-assignments.${region}`, `check-requests.${region}`])
]

const twoOf = (choices, list) => choices.shuffled(list).slice(0, 2)

/** By name; each gets the stage and the choices. */
export const faults = {
  "a runner is killed": ({ cluster }, choices) => killed([choices.pick(cluster.runners)]),
  "a runner is frozen": ({ cluster }, choices) => frozen([choices.pick(cluster.runners)]),
  "the api is killed": ({ cluster }) => killed([cluster.api]),
  "the api is frozen": ({ cluster }) => frozen([cluster.api]),
  "a probe is killed": ({ mayLose, probes }, choices) => {
    mayLose(inHand)
    return killed([choices.pick(probes)])
  },
  "a probe is frozen": ({ mayLose, probes }, choices) => {
    // When it wakes up, it repeats the checks that it had under way.
    mayLose(inHand)
    return frozen([choices.pick(probes)])
  },
  "a broker of three is killed": ({ cluster }, choices) => killed([choices.pick(cluster.brokers)]),
  "a broker of three is frozen": ({ cluster }, choices) => frozen([choices.pick(cluster.brokers)]),
  "a broker of three is slow": ({ lines }, choices) => {
    const line = choices.pick(lines)
    line.slow(choices.between(300, 2000))
    return () => line.slow(0)
  },
  "two brokers of three are killed": ({ cluster }, choices) => killed(twoOf(choices, cluster.brokers)),
  "a topic takes no messages": async (stage, choices) => {
    const topic = prefix + choices.pick(["check-results", "check-results", "probe-beats", "probe-control"])
    // All are too large. Brokers ask for no more copies (min.insync.replicas) than a topic has.
    const former = await withAdmin(stage, (admin) => setTopic(admin, topic, "max.message.bytes", "1"))
    return () => withAdmin(stage, (admin) => setTopic(admin, topic, "max.message.bytes", former))
  },
  "a topic is deleted": async (stage, choices) => {
    const topic = prefix + choices.pick(topicsOf(stage))
    stage.tell("chaos", `deletes ${topic}`)
    if (topic === `${prefix}check-results`) stage.mayLose(inHand)
    await withAdmin(stage, (admin) => admin.deleteTopics({ topics: [topic] }))
    return () => {}
  },
  "a topic gets more partitions": async (stage, choices) => {
    const topic = prefix + choices.pick(topicsOf(stage))
    await withAdmin(stage, async (admin) => {
      const { topics: [found] } = await admin.fetchTopicMetadata({ topics: [topic] })
      await admin.createPartitions({ topicPartitions: [{ topic, count: found.partitions.length + choices.between(1, 4) }] })
    })
    return () => {}
  },
  "PostgreSQL is killed": ({ cluster }) => killed([cluster.database]),
  "PostgreSQL is frozen": ({ cluster }) => frozen([cluster.database]),
  "a region is cut off": ({ link, mayLose, probes }, choices) => {
    if (link === null) return faults["a probe is frozen"]({ mayLose, probes: probes.slice(-1) }, choices)
    link.set({ ...badNetwork, lossPercent: 100 })
    return () => link.set(badNetwork)
  },
  "the network of a region is worse": ({ link, lines }) => {
    if (link === null) {
      for (const line of lines) line.slow(300)
      return () => lines.forEach((line) => line.slow(0))
    }
    link.set({ delayMs: 500, lossPercent: 15 })
    return () => link.set(badNetwork)
  }
}
