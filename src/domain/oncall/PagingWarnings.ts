/** Warns of people in schedules and policies whom no page reaches, by name, and of the targets of policies that reach nobody. */
import type { UserId } from "../../../schema/Ids.ts"
import type { EscalationLevel } from "../../../schema/oncall/Policy.ts"
import type { UsableWay } from "../paging/PersonalSteps.ts"
import { listed } from "../paging/WhatNext.ts"

interface Pageable {
  readonly id: UserId
  readonly name: string | null
  readonly email: string
  /** The ways by which pages go to the person; email is one once the address is confirmed. */
  readonly ways: ReadonlyArray<UsableWay>
}

export const unreachable = "The email address is not confirmed"

/** Nobody of those named has another way. */
const noMail = (names: ReadonlyArray<string>): string =>
  `This server sends no email, so no page reaches ${listed(names)}. Set SMTP_URL, or let them add another way.`

const nameOf = ({ email, name }: Pick<Pageable, "email" | "name">): string => name ?? email
const someoneLeft = "Someone who has left the workspace is not paged."

/** Whether a page reaches a person. `mailed` is whether the deployment sends mail. */
export const isReachable = ({ ways }: Pick<Pageable, "ways">, mailed: boolean): boolean =>
  ways.some(({ kind }) => kind !== "email" || mailed)

/** One sentence for each of these people whom no page reaches. */
export const pagingWarnings = (ids: ReadonlyArray<UserId>, members: ReadonlyArray<Pageable>, mailed: boolean) => {
  const named = ids.map((id) => members.find((one) => one.id === id))
  const known = named.filter((member) => member !== undefined)
  if (!mailed && known.length > 0 && !known.some((member) => isReachable(member, mailed))) {
    return [noMail([...new Set(known.map(nameOf))])]
  }
  const warnings = named.flatMap((member) => {
    if (member === undefined) return [someoneLeft]
    if (isReachable(member, mailed)) return []
    const name = nameOf(member)
    return [
      member.ways.length === 0
        ? `${name} cannot be paged: the email address is not confirmed.`
        : `${name} cannot be paged: this server sends no email, and there is no other way. Set SMTP_URL.`
    ]
  })
  return [...new Set(warnings)]
}

/**
 * A sentence for each channel and schedule of the levels that reaches nobody. `known`: the targets that exist, such as `channel ch_1`.
 * `enabled`: the ids of the channels that receive something, and whether it can arrive.
 */
export const targetWarnings = (
  levels: ReadonlyArray<EscalationLevel>,
  known: ReadonlySet<string>,
  enabled: ReadonlyMap<string, boolean>
): ReadonlyArray<string> =>
  levels.flatMap(({ targets }, index) =>
    targets.flatMap(({ id, type }) => {
      if (type === "user") return []
      const target = type === "channel" ? `the alert channel ${id}` : `the on-call schedule ${id}`
      if (!known.has(`${type} ${id}`)) return [`Level ${index + 1} pages nobody through ${target}, which was deleted.`]
      if (type === "schedule") return []
      const works = enabled.get(id)
      if (works === undefined) return [`Level ${index + 1} pages nobody through ${target}, which is disabled.`]
      return works ? [] : [`Level ${index + 1} pages nobody through ${target}: no message arrives there, as its problem says.`]
    })
  )
