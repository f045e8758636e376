/** The tables of topics and access rules in docs/operations.md say what `belltower kafka-setup` makes. */
import { expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { RegionId } from "../../schema/check/Region.ts"
import { type Access, probesAccess, serversAccess } from "../../src/bus/kafka/KafkaAccess.ts"
import { regionPlans, sharedPlans, type TopicPlan } from "../../src/bus/kafka/TopicPlans.ts"

const text = readFileSync(join(import.meta.dirname, "../../docs/operations.md"), "utf8")
const prefix = "belltower."
const region = "<region>"

/** The cells of the table with these heads, without quotes. */
const table = (heads: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const start = text.indexOf(`| ${heads.join(" | ")} |\n`)
  expect(start).toBeGreaterThan(0)
  const [rows = ""] = text.slice(start).split("\n\n")
  return rows.split("\n").slice(2).map((row) => row.split("|").slice(1, -1).map((cell) => cell.trim().replaceAll("`", "")))
}

const rowOf = ({ match, name, operations, principal, resource }: Access): ReadonlyArray<string> => [
  principal,
  operations.join(", "),
  match === "literal" ? resource : `${resource}s that begin with`,
  name
]

it("the rules are those of the table", () => {
  const rules = [...serversAccess(prefix, "servers"), ...probesAccess(prefix, region, "probes of a region")]
  expect(table(["principal", "may", "of", "name"])).toEqual(rules.map(rowOf))
})

const partitions = 16
const hours = (ms: string | undefined) => Number(ms) / 3_600_000

const topicOf = ({ config, partitions: count, topic }: TopicPlan): ReadonlyArray<string> => {
  const keeps = config["cleanup.policy"] === "compact"
    ? `the latest of each key (compacted, ${hours(config["delete.retention.ms"]) / 24} days of tombstones)`
    : hours(config["retention.ms"]) === 24
    ? "1 day"
    : `${hours(config["retention.ms"]) * 60} minutes`
  return [topic.replace(prefix, ""), count === partitions ? "KAFKA_PARTITIONS" : String(count), keeps]
}

it("the topics are those of the table", () => {
  const settings = { topicPrefix: prefix, partitions }
  const [results] = sharedPlans({ ...settings, resultsHours: 6 })
  expect(hours(results?.config["retention.ms"])).toBe(6)
  const made = [...regionPlans(settings, RegionId.make(region, true)), ...sharedPlans(settings)].map(topicOf)
  const listed = table(["topic", "partitions", "keeps", "written by", "read by"]).map((row) =>
    row.slice(0, 3).map((cell) => cell.replace(" or more", ""))
  )
  expect([...listed].sort()).toEqual([...made].sort())
})
