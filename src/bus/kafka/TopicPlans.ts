/** The topics of the bus: their names, partitions and retention. */
import { Duration } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"
import { shardCount } from "../../domain/tools/Shard.ts"

export interface TopicPlan {
  readonly topic: string
  readonly partitions: number
  /** Settings of the topic by the names that Kafka gives them. */
  readonly config: Readonly<Record<string, string>>
}

/** The topics that all regions share. Probes write results, beats and replies, and read control. */
export const sharedTopics = (prefix: string) => ({
  results: `${prefix}check-results`,
  beats: `${prefix}probe-beats`,
  replies: `${prefix}check-replies`,
  control: `${prefix}probe-control`
})

/** The topics that only the servers write and only the probes of one region read. */
export const regionTopics = (prefix: string, region: string) => ({
  assignments: `${prefix}monitor-assignments.${region}`,
  requests: `${prefix}check-requests.${region}`
})

const millis = (duration: Duration.DurationInput): string => String(Duration.toMillis(duration))

/** Keeps the latest assignment per monitor, and tombstones for workers that are cut off for less than 30 days. */
const compacted = {
  "cleanup.policy": "compact",
  "delete.retention.ms": millis("30 days"),
  "segment.bytes": String(16 * 1024 * 1024),
  "segment.ms": millis("1 hour"),
  "min.cleanable.dirty.ratio": "0.1"
}
const keptFor = (retention: Duration.DurationInput, segment: Duration.DurationInput) => ({
  "cleanup.policy": "delete",
  "retention.ms": millis(retention),
  "segment.ms": millis(segment)
})
const keptBriefly = keptFor("10 minutes", "5 minutes")

/** Runners that are away for longer lose results: that time shows as unobserved. */
export const defaultResultsHours = 24

/** See `KafkaSettings`. */
interface Planned {
  readonly topicPrefix: string
  readonly partitions: number
  readonly resultsHours?: number
}

/** Results go to the partition with the number of their shard, so their topic needs at least this many. */
export const sharedPlans = ({ resultsHours = defaultResultsHours, topicPrefix }: Planned): ReadonlyArray<TopicPlan> => {
  const { beats, control, replies, results } = sharedTopics(topicPrefix)
  return [
    { topic: results, partitions: shardCount, config: keptFor(Duration.hours(resultsHours), "1 hour") },
    { topic: beats, partitions: 1, config: keptBriefly },
    { topic: replies, partitions: 1, config: keptBriefly },
    { topic: control, partitions: 1, config: keptBriefly }
  ]
}

export const regionPlans = ({ partitions, topicPrefix }: Planned, region: RegionId): ReadonlyArray<TopicPlan> => {
  const { assignments, requests } = regionTopics(topicPrefix, region)
  return [
    { topic: assignments, partitions, config: compacted },
    { topic: requests, partitions, config: keptBriefly }
  ]
}
