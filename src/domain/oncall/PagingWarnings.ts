/** Warns of people in schedules and policies whom no page reaches, by name. */
import type { UserId } from "../../../schema/Ids.ts"
import type { UsableWay } from "../paging/PersonalSteps.ts"

interface Pageable {
  readonly id: UserId
  readonly name: string | null
  readonly email: string
  /** The ways by which pages go to the person; email is one once the address is confirmed. */
  readonly ways: ReadonlyArray<UsableWay>
}

export const unreachable = "The email address is not confirmed"

const noMail = "This server sends no email, so it pages nobody. Set SMTP_URL."
const someoneLeft = "Someone who has left the workspace is not paged."

/** Whether a page reaches a person. `mailed` is whether the deployment sends mail. */
export const isReachable = ({ ways }: Pick<Pageable, "ways">, mailed: boolean): boolean =>
  ways.some(({ kind }) => kind !== "email" || mailed)

/** One sentence for each of these people whom no page reaches. */
export const pagingWarnings = (ids: ReadonlyArray<UserId>, members: ReadonlyArray<Pageable>, mailed: boolean) => {
  const named = ids.map((id) => members.find((one) => one.id === id))
  if (!mailed && ids.length > 0 && !named.some((member) => member !== undefined && isReachable(member, mailed))) return [noMail]
  const warnings = named.flatMap((member) => {
    if (member === undefined) return [someoneLeft]
    if (isReachable(member, mailed)) return []
    const name = member.name ?? member.email
    return [
      member.ways.length === 0
        ? `${name} cannot be paged: the email address is not confirmed.`
        : `${name} cannot be paged: this server sends no email, and there is no other way. Set SMTP_URL.`
    ]
  })
  return [...new Set(warnings)]
}
