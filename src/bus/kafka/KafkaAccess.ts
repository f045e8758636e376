/** The access of servers and of each region's probes at the brokers: no probe sees another region's messages. */
import { regionTopics, sharedTopics } from "./TopicPlans.ts"

type Operation = "read" | "write" | "create" | "alter"

/** One rule: a principal may do these operations with a topic or group of this name, or with all whose names begin with it. */
export interface Access {
  readonly principal: string
  readonly resource: "topic" | "group"
  readonly match: "literal" | "prefixed"
  readonly name: string
  readonly operations: ReadonlyArray<Operation>
}

/** The users that belltower kafka-setup makes. */
export const serversUser = (prefix: string): string => `${prefix}servers`
export const probesUser = (prefix: string, region: string): string => `${prefix}probe.${region}`

/** The consumer groups in which the workers of a region share its monitors and its requests. */
export const regionGroups = (prefix: string, region: string) => ({
  share: `${prefix}probe.${region}`,
  answer: `${prefix}answer.${region}`
})

/** Servers create the topics of a region when it appears, unless the operator does. They join groups in the role `all` only. */
export const serversAccess = (prefix: string, principal: string, createTopics = true): ReadonlyArray<Access> => [
  {
    principal,
    resource: "topic",
    match: "prefixed",
    name: prefix,
    operations: createTopics ? ["read", "write", "create", "alter"] : ["read", "write"]
  },
  { principal, resource: "group", match: "prefixed", name: prefix, operations: ["read"] }
]

/** To read or to write includes to describe. */
export const probesAccess = (prefix: string, region: string, principal: string): ReadonlyArray<Access> => {
  const { beats, control, replies, results } = sharedTopics(prefix)
  const { assignments, requests } = regionTopics(prefix, region)
  const { answer, share } = regionGroups(prefix, region)
  const rule = (resource: Access["resource"], name: string, operation: Operation): Access => ({
    principal,
    resource,
    match: "literal",
    name,
    operations: [operation]
  })
  return [
    ...[assignments, requests, control].map((name) => rule("topic", name, "read")),
    ...[results, beats, replies].map((name) => rule("topic", name, "write")),
    ...[share, answer].map((name) => rule("group", name, "read"))
  ]
}
