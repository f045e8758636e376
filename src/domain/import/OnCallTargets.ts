/** Says whom and what an imported schedule or policy would page, and which of it is not there. */
import type { PolicyEntry, ScheduleEntry } from "../../../schema/plan/WorkspaceDocument.ts"

/** The state after the import: channels and schedules by their refs, and members by their addresses, in lower case. */
interface There {
  readonly channels: ReadonlySet<string>
  readonly schedules: ReadonlySet<string>
  readonly members: ReadonlySet<string>
}

export const noMember = (address: string): string =>
  `${address} is no member of this workspace; invite the person, then import again`

const stranger = (members: ReadonlySet<string>, addresses: ReadonlyArray<string>): string | null => {
  const found = addresses.find((address) => !members.has(address))
  return found === undefined ? null : noMember(found)
}

export const lostParticipant = (
  { layers = [], overrides = [], participants }: ScheduleEntry,
  { members }: There
): string | null =>
  stranger(members, [
    ...participants,
    ...layers.flatMap((layer) => layer.participants),
    ...overrides.flatMap(({ insteadOf, user }) => (insteadOf === undefined ? [user] : [user, insteadOf]))
  ])

export const lostTarget = ({ levels }: PolicyEntry, { channels, members, schedules }: There): string | null => {
  for (const entry of levels.flatMap(({ targets }) => targets)) {
    if ("channel" in entry && !channels.has(`channel:${entry.channel}`)) {
      return `The channel ${entry.channel}, which it pages, is not carried`
    }
    if ("schedule" in entry && !schedules.has(`schedule:${entry.schedule}`)) {
      return `The schedule ${entry.schedule}, which it pages, is not carried`
    }
    if ("user" in entry && !members.has(entry.user)) return noMember(entry.user)
  }
  return null
}
