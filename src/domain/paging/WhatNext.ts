/** Who is paged next about an incident if nobody acknowledges it, in words. */
import { DateTime, Order } from "effect"
import type { IncidentPagings, Paging, WayKind } from "../../../schema/oncall/Way.ts"
import { counted } from "../tools/text/Counted.ts"
import { isolated } from "../tools/text/Direction.ts"

const wayWords: Readonly<Record<WayKind, string>> = {
  email: "email",
  push: "notification",
  sms: "text message",
  voice: "phone",
  slack: "Slack",
  telegram: "Telegram",
  discord: "Discord"
}

interface Named {
  readonly name: string | null
  readonly email: string | null
}

const personName = ({ email, name }: Named): string => isolated(name ?? email ?? "Somebody whose account was deleted")

/** `Ben by phone` */
export const pageWords = ({ by, user }: Pick<Paging, "by" | "user">): string => `${personName(user)} by ${wayWords[by]}`

/** `Ben, Ana and 3 more` */
export const listed = (names: ReadonlyArray<string>): string => {
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`
}

type NextLevel = NonNullable<NonNullable<IncidentPagings["escalation"]>["next"]>

/** `level 2: Ana and 1 channel` */
export const levelWords = ({ channelIds, level, people }: Omit<NextLevel, "at">): string => {
  const channels = channelIds.length === 0 ? [] : [counted(channelIds.length, "channel")]
  const whom = listed([...people.map(personName), ...channels])
  return whom === "" ? `level ${level}, which reaches nobody now` : `level ${level}: ${whom}`
}

export interface Coming {
  readonly text: string
  readonly at: DateTime.Utc
}

/** Pages that are due at the same time are one. */
const plannedSteps = (pages: ReadonlyArray<Paging>): ReadonlyArray<Coming> => {
  const planned = pages.filter(({ state }) => state === "planned")
  const times = [...new Set(planned.map(({ dueAt }) => DateTime.toEpochMillis(dueAt)))]
  return times.map((time) => ({
    text: listed([...new Set(planned.filter(({ dueAt }) => DateTime.toEpochMillis(dueAt) === time).map(pageWords))]),
    at: DateTime.unsafeMake(time)
  }))
}

const byTime = Order.mapInput(DateTime.Order, ({ at }: Coming) => at)

/** In the order of their times; empty if nobody else is paged. For an incident that is open and that nobody has acknowledged. */
export const whatNext = ({ data, escalation }: Pick<IncidentPagings, "data" | "escalation">): ReadonlyArray<Coming> => {
  const next = escalation?.next ?? null
  const levels = next === null || next.at === null ? [] : [{ text: levelWords(next), at: next.at }]
  return [...plannedSteps(data), ...levels].toSorted(byTime)
}

/** Why nobody else is paged. */
export const nothingNext = ({ data, escalation }: Pick<IncidentPagings, "data" | "escalation">): string =>
  data.length > 0 && data.every(({ state }) => state === "failed")
    ? "Every page to a person failed. Nobody else follows."
    : escalation !== null
    ? "Everybody of the escalation policy was paged. Nobody else follows."
    : data.length > 0
    ? "No escalation policy applies, so nobody else is paged."
    : "No escalation policy applies, so nobody is paged."
