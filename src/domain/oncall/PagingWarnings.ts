/** Warns of people in schedules and policies who cannot be paged: only email works today, and only to a confirmed address. */
import type { UserId } from "../../../schema/Ids.ts"

interface Pageable {
  readonly id: UserId
  readonly name: string | null
  readonly email: string
  /** Null until the address is confirmed. */
  readonly mailTo: string | null
}

export const unreachable = "The email address is not confirmed"

const noMail = "This server sends no email, so it pages nobody. Set SMTP_URL."
const someoneLeft = "Someone who has left the workspace is not paged."

/** One sentence for each of these people whom no page reaches. `mailed` is whether the deployment sends mail. */
export const pagingWarnings = (ids: ReadonlyArray<UserId>, members: ReadonlyArray<Pageable>, mailed: boolean) => {
  if (ids.length > 0 && !mailed) return [noMail]
  const warnings = ids.flatMap((id) => {
    const member = members.find((one) => one.id === id)
    if (member === undefined) return [someoneLeft]
    return member.mailTo === null ? [`${member.name ?? member.email} cannot be paged: the email address is not confirmed.`] : []
  })
  return [...new Set(warnings)]
}
