/** The settings that a role needs, and those that it must not have. */
import type { Role } from "../domain/program/RoleOptions.ts"
import { commaList } from "../domain/tools/text/CommaList.ts"
import type { Environment } from "./SettingFiles.ts"

const notForProbes = "BELLTOWER_SECRET is not for probes: it opens the secrets of all workspaces. Remove it from this process, " +
  "and set BELLTOWER_PROBE_TOKEN to the output of belltower probe-token <region>."

const sharedByBrokers =
  "KAFKA_BROKERS needs DATABASE_URL: processes that share Kafka share a database. Set it to the same value " +
  "as on the other processes, or remove KAFKA_BROKERS."

/** The settings that a role needs and does not have, or has and must not have, a line each. */
export const lacksOf = (role: Role | null, given: Environment): ReadonlyArray<string> => {
  const hasSecret = given.has("BELLTOWER_SECRET") || given.has("BELLTOWER_SECRET_COMMAND")
  const hasBrokers = commaList(given.get("KAFKA_BROKERS") ?? "").length > 0
  const lacking = (isLacking: boolean, name: string) =>
    isLacking ? [`${name} is required for the role ${role}. Set it to the same value as on the other processes.`] : []
  const contradictory = [
    ...(given.has("BELLTOWER_SECRET") && given.has("BELLTOWER_SECRET_COMMAND")
      ? ["BELLTOWER_SECRET_COMMAND and BELLTOWER_SECRET are both set. Remove one of them."]
      : []),
    ...(given.has("DATABASE_READ_URL") && !given.has("DATABASE_URL")
      ? [
        "DATABASE_READ_URL is the standby of an external database. Set DATABASE_URL to its primary, or remove DATABASE_READ_URL."
      ]
      : [])
  ]
  switch (role) {
    case null:
      return contradictory
    case "all":
      return [...contradictory, ...(hasBrokers && !given.has("DATABASE_URL") ? [sharedByBrokers] : [])]
    // A probe that has the servers' settings could open what they keep from it.
    case "probe":
      return [
        ...contradictory,
        ...lacking(!hasBrokers, "KAFKA_BROKERS"),
        ...(hasSecret || given.has("BELLTOWER_SECRET_PREVIOUS") ? [notForProbes] : [])
      ]
    case "api":
    case "runner":
      return [
        ...contradictory,
        ...lacking(!hasBrokers, "KAFKA_BROKERS"),
        ...lacking(!hasSecret, "BELLTOWER_SECRET"),
        ...lacking(!given.has("DATABASE_URL"), "DATABASE_URL")
      ]
  }
}
