/** Sets Kafka up with the rights of an administrator: the topics, a user for the servers and one for each region, and their access. */
import { Effect, Option } from "effect"
import {
  type AclEntry,
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  KafkaJSProtocolError,
  ResourcePatternTypes
} from "kafkajs"
import { randomBytes } from "node:crypto"
import { busUnavailable } from "../Bus.ts"
import { type Access, probesAccess, probesUser, serversAccess, serversUser } from "./KafkaAccess.ts"
import { callKafka, type KafkaClient, type KafkaSettings, makeKafkaClient } from "./KafkaClient.ts"
import { acquireCluster } from "./KafkaCluster.ts"
import type { Cluster } from "./KafkajsInternals.ts"
import type { KafkaSetupWish } from "./KafkaSetupWish.ts"
import { ensureSharedTopics, ensureTopics, withAdmin } from "./KafkaTopics.ts"
import { type ScramMechanism, setPassword, usersWithPassword } from "./ScramUsers.ts"
import { regionPlans, sharedPlans, type TopicPlan } from "./TopicPlans.ts"

/** A user that is made where the operator names no principal. */
interface Member {
  readonly user: string | null
  readonly access: ReadonlyArray<Access>
}

interface SetupPlan {
  readonly topics: ReadonlyArray<TopicPlan>
  readonly members: ReadonlyArray<Member>
}

const memberOf = (user: string, given: string | null, accessOf: (principal: string) => ReadonlyArray<Access>): Member => ({
  user: given === null ? user : null,
  access: accessOf(given ?? `User:${user}`)
})

export const setupPlan = (settings: KafkaSettings, { regions, servers }: KafkaSetupWish): SetupPlan => {
  const { createTopics, topicPrefix: prefix } = settings
  return {
    topics: [...sharedPlans(settings), ...[...regions.keys()].flatMap((region) => regionPlans(settings, region))],
    members: [
      memberOf(serversUser(prefix), servers, (principal) => serversAccess(prefix, principal, createTopics)),
      ...Array.from(
        regions,
        ([region, given]) => memberOf(probesUser(prefix, region), given, (principal) => probesAccess(prefix, region, principal))
      )
    ]
  }
}

/** The plan for operators whose brokers are managed elsewhere: a line for each topic, then one for each rule. */
export const planLines = ({ members, topics }: SetupPlan): ReadonlyArray<string> => [
  ...topics.map(({ config, partitions, topic }) => {
    const settings = Object.entries(config).map(([name, value]) => `${name}=${value}`)
    return ["topic", topic, `partitions=${partitions}`, ...settings].join(" ")
  }),
  ...members.flatMap(({ access }) => access).map(({ match, name, operations, principal, resource }) =>
    `allow "${principal}" to ${operations.join(", ")} ${match} ${resource} ${name}`
  )
]

const operations = {
  read: AclOperationTypes.READ,
  write: AclOperationTypes.WRITE,
  create: AclOperationTypes.CREATE,
  alter: AclOperationTypes.ALTER
}

const aclsOf = (access: Access): ReadonlyArray<AclEntry> =>
  access.operations.map((operation) => ({
    principal: access.principal,
    host: "*",
    operation: operations[operation],
    permissionType: AclPermissionTypes.ALLOW,
    resourceType: access.resource === "topic" ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
    resourceName: access.name,
    resourcePatternType: access.match === "literal" ? ResourcePatternTypes.LITERAL : ResourcePatternTypes.PREFIXED
  }))

const noAuthorizer =
  "The brokers have no authorizer, so they would allow everything to everybody. Set authorizer.class.name first"

const setAccess = (client: KafkaClient, access: ReadonlyArray<Access>) =>
  withAdmin(client, (admin) => admin.createAcls({ acl: access.flatMap(aclsOf) })).pipe(
    Effect.mapError((error) =>
      error.cause instanceof KafkaJSProtocolError && error.cause.type === "SECURITY_DISABLED"
        ? busUnavailable(noAuthorizer)
        : error
    )
  )

type Report = (line: string) => Effect.Effect<void>

/** Prints each password as soon as the brokers have it: there is no other copy. */
const makeUsers = Effect.fn("KafkaSetup.makeUsers")(
  function*(cluster: Cluster, users: ReadonlyArray<string>, mechanism: ScramMechanism, newPasswords: boolean, report: Report) {
    const existing = yield* callKafka(() => usersWithPassword(cluster, users, mechanism))
    for (const user of users) {
      if (existing.has(user) && !newPasswords) {
        yield* report(`The user ${user} exists and keeps its password; --new-passwords gives it another`)
        continue
      }
      const password = randomBytes(24).toString("base64url")
      yield* callKafka(() => setPassword(cluster, user, password, mechanism))
      yield* report(existing.has(user) ? `The user ${user} has a new password:` : `Created the user ${user}:`)
      yield* report(`  KAFKA_SASL_MECHANISM=${mechanism}`)
      yield* report(`  KAFKA_SASL_USERNAME=${user}`)
      yield* report(`  KAFKA_SASL_PASSWORD=${password}`)
    }
  }
)

/** Repeatable: what exists stays as it is. `report` gets what was done, a line at a time, with passwords. */
export const setUpKafka = Effect.fn("KafkaSetup.run")(
  function*(settings: KafkaSettings, wish: KafkaSetupWish, report: Report) {
    const client = yield* makeKafkaClient({ ...settings, createTopics: true }, Effect.void)
    const { members, topics } = setupPlan(settings, wish)
    const created = [...(yield* ensureSharedTopics(client)), ...(yield* ensureTopics(client, topics))]
    yield* report(created.length === 0 ? `All ${topics.length} topics exist` : `Created the topics ${created.join(", ")}`)
    yield* setAccess(client, members.flatMap(({ access }) => access))
    for (const { access } of members) yield* report(`Set the access of ${access[0]?.principal}`)
    const users = members.flatMap(({ user }) => user === null ? [] : [user])
    if (users.length === 0) return
    // The servers and probes log in as the administrator does, unless brokers keep such users in a file.
    const given = Option.getOrUndefined(settings.sasl ?? Option.none())?.mechanism ?? "plain"
    const mechanism = given === "plain" ? "scram-sha-512" : given
    yield* Effect.scoped(
      Effect.flatMap(acquireCluster(client), (cluster) => makeUsers(cluster, users, mechanism, wish.newPasswords, report))
    )
  }
)
